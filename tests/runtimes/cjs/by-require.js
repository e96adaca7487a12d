"use strict";

module.exports = {
  core: require("@tidegate/core"),
  http: require("@tidegate/core/http"),
  ipc: require("@tidegate/core/ipc"),
  testing: require("@tidegate/core/testing"),
  transport: require("@tidegate/core/transport"),
  express: require("@tidegate/express"),
  fastify: require("@tidegate/fastify"),
  koa: require("@tidegate/koa"),
  nats: require("@tidegate/nats-transport"),
};
