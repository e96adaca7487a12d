/* What a bundler compiles, or TypeScript for CommonJS: `import` everywhere. */

import { createLimiter, fixedWindow, type Limiter, MINUTE, type Policy } from "@tidegate/core";
import { Warnings } from "@tidegate/core/http";
import { ipcTransport } from "@tidegate/core/ipc";
import { manualClock } from "@tidegate/core/testing";
import type { Transport } from "@tidegate/core/transport";
import rateLimit, { type Options as ExpressOptions } from "@tidegate/express";
import fastifyRateLimit, { type RateLimitOptions } from "@tidegate/fastify";
import ratelimit, { type Options as KoaOptions } from "@tidegate/koa";
import { natsTransport } from "@tidegate/nats-transport";
import express from "express";
import fastify from "fastify";
import Koa from "koa";

const policy: Policy = fixedWindow({ limit: 1, windowMs: MINUTE });
const limiter: Limiter = createLimiter({ name: "typed", policy, clock: manualClock() });
const expressOptions: Partial<ExpressOptions> = { limit: 5 };
const koaOptions: KoaOptions = { max: 5, duration: MINUTE };
const fastifyOptions: RateLimitOptions = { max: 5, timeWindow: MINUTE };
express().use(rateLimit({ ...expressOptions, policies: [policy] }));
new Koa().use(ratelimit(koaOptions));
void fastify().register(fastifyRateLimit, fastifyOptions);
export const made: readonly unknown[] = [limiter, new Warnings(), natsTransport, ipcTransport];
export type Carries = Transport;
