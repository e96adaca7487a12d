/**
 * `import` and `require` reach one copy of each entry. Two would be two budgets, and an error of
 * one would not be an instance of the other's class.
 */

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import * as core from "@tidegate/core";
import * as http from "@tidegate/core/http";
import * as testing from "@tidegate/core/testing";
import * as transport from "@tidegate/core/transport";
import * as express from "@tidegate/express";
import * as fastify from "@tidegate/fastify";
import * as koa from "@tidegate/koa";
import * as nats from "@tidegate/nats-transport";

const require = createRequire(import.meta.url);
for (const [imported, entry] of [
  [core, "@tidegate/core"],
  [testing, "@tidegate/core/testing"],
  [transport, "@tidegate/core/transport"],
  [http, "@tidegate/core/http"],
  [express, "@tidegate/express"],
  [koa, "@tidegate/koa"],
  [fastify, "@tidegate/fastify"],
  [nats, "@tidegate/nats-transport"],
]) {
  const required = require(entry);
  const names = Object.keys(imported).filter((name) => /^\w+$/.test(name));
  assert.ok(names.length > 0, `${entry} exports nothing`);
  for (const name of names) {
    assert.notEqual(imported[name], undefined, `${entry} has no ${name}`);
    assert.equal(required[name], imported[name], `${entry} has two copies of ${name}`);
  }
}

// Packages that build on core refuse options with the error class of that one copy.
assert.throws(() => nats.natsTransport({}), core.TidegateError);

// What users of express-rate-limit write, in each of its forms.
const rateLimit = require("@tidegate/express");
assert.equal(typeof rateLimit, "function");
assert.equal(rateLimit, express.default);
assert.equal(rateLimit.rateLimit, express.rateLimit);
assert.equal(typeof rateLimit({ limit: 5 }).resetKey, "function");
assert.throws(() => rateLimit({ limit: Number.NaN }), core.TidegateError);

// Those of koa-ratelimit have one function, too.
const ratelimit = require("@tidegate/koa");
assert.equal(ratelimit, koa.default);
assert.equal(typeof ratelimit({ max: 5 }), "function");
assert.throws(() => ratelimit({ driver: "redis" }), core.TidegateError);

// Those of @fastify/rate-limit register what they required.
const plugin = require("@tidegate/fastify");
assert.equal(plugin, fastify.default);
assert.equal(plugin.fastifyRateLimit, fastify.fastifyRateLimit);
assert.equal(plugin.normalizeIP("::1"), "::");
