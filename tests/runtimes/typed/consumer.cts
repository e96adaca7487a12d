/* The packages with their frameworks, as users of the packages that they replace write it in CommonJS. */

import core = require("@tidegate/core");
import rateLimit = require("@tidegate/express");
import fastifyRateLimit = require("@tidegate/fastify");
import ratelimit = require("@tidegate/koa");
import express = require("express");
import fastify = require("fastify");
import Koa = require("koa");

const policy: core.Policy = core.fixedWindow({ limit: 1, windowMs: core.MINUTE });
const expressOptions: Partial<rateLimit.Options> = { limit: 5, windowMs: core.MINUTE };
const koaOptions: ratelimit.MiddlewareOptions = { max: 5, duration: core.MINUTE };
const fastifyOptions: fastifyRateLimit.RateLimitOptions = { max: 5, timeWindow: core.MINUTE };
express().use(rateLimit({ ...expressOptions, policies: [policy] }));
express().use(rateLimit.rateLimit());
new Koa().use(ratelimit(koaOptions));
void fastify().register(fastifyRateLimit, fastifyOptions);
