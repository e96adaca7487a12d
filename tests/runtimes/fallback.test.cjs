"use strict";

const exercise = require("./exercise.cjs");

test("the packed packages work where only CommonJS does", () => {
  const core = require("@tidegate/core");
  exercise(core, require("@tidegate/core/testing"));
  const { natsTransport } = require("@tidegate/nats-transport");
  expect(() => natsTransport({})).toThrow(core.TidegateError);
  const rateLimit = require("@tidegate/express");
  expect(rateLimit.rateLimit).toBe(rateLimit);
  expect(() => rateLimit({ limit: -1 })).toThrow(core.TidegateError);
  const ratelimit = require("@tidegate/koa");
  expect(ratelimit.rateLimit).toBe(ratelimit);
  expect(() => ratelimit({ driver: "redis" })).toThrow(core.TidegateError);
  const plugin = require("@tidegate/fastify");
  expect(plugin.fastifyRateLimit).toBe(plugin);
  expect(plugin.normalizeIP("::ffff:192.0.2.1")).toBe("192.0.2.1");
});
