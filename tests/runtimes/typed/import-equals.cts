/* CommonJS as TypeScript has always written it: `import x = require()`, and `import` that becomes it. */

import core = require("@tidegate/core");

import * as http from "@tidegate/core/http";
import * as ipc from "@tidegate/core/ipc";
import * as testing from "@tidegate/core/testing";
import * as transport from "@tidegate/core/transport";

import express = require("@tidegate/express");
import fastify = require("@tidegate/fastify");
import koa = require("@tidegate/koa");

import * as nats from "@tidegate/nats-transport";

const imported = { core, http, ipc, testing, transport, express, fastify, koa, nats };
void require("../cjs/exercise.js")({ imported, required: require("../cjs/by-require.js") });
