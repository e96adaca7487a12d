/* Runs where TypeScript is compiled away or stripped, and compiles with every resolution that knows .mts. */

import { createRequire } from "node:module";
import type { Cluster, Limiter, Policy } from "@tidegate/core";
import * as core from "@tidegate/core";
import * as http from "@tidegate/core/http";
import * as ipc from "@tidegate/core/ipc";
import * as testing from "@tidegate/core/testing";
import * as transport from "@tidegate/core/transport";
import * as express from "@tidegate/express";
import rateLimit, { type Options, type RateLimitRequestHandler } from "@tidegate/express";
import * as fastify from "@tidegate/fastify";
import * as koa from "@tidegate/koa";
import * as nats from "@tidegate/nats-transport";

const require = createRequire(import.meta.url);
const policy: Policy = core.fixedWindow({ limit: 1, windowMs: core.MINUTE });
const limiter: Limiter = core.createLimiter({ name: "typed", policy });
const cluster: Cluster | undefined = undefined;
const options: Partial<Options> = { limit: 5, windowMs: core.MINUTE };
const handler: RateLimitRequestHandler = rateLimit({ ...options, cluster });
limiter.close();
handler.resetKey("ada");

const imported = { core, http, ipc, testing, transport, express, fastify, koa, nats };
await require("../cjs/exercise.js")({ imported, required: require("../cjs/by-require.js") });
