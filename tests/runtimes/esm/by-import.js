import * as core from "@tidegate/core";
import * as http from "@tidegate/core/http";
import * as ipc from "@tidegate/core/ipc";
import * as testing from "@tidegate/core/testing";
import * as transport from "@tidegate/core/transport";
import * as express from "@tidegate/express";
import * as fastify from "@tidegate/fastify";
import * as koa from "@tidegate/koa";
import * as nats from "@tidegate/nats-transport";

export { core, express, fastify, http, ipc, koa, nats, testing, transport };
