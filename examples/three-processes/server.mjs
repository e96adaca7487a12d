// @ts-check
// One of several processes that share a limit over NATS.

import { subscribe } from "node:diagnostics_channel";
import { connect } from "@nats-io/transport-node";
import { CHANNELS, joinCluster } from "@tidegate/core";
import { rateLimit } from "@tidegate/express";
import { natsTransport } from "@tidegate/nats-transport";
import express from "express";
import { HOST, PORT, serving } from "../serving.mjs";

// Trouble with NATS or between the processes. Without this, only the most serious is printed.
subscribe(CHANNELS.cluster, (event) => {
  const { message } = /** @type {import("@tidegate/core").ClusterEvent} */ (event);
  console.warn(message);
});

const servers = process.env.NATS_URL ?? "nats://127.0.0.1:4222";
const cluster = joinCluster({
  namespace: "three-processes",
  // Without one, any program that can publish on the NATS server can make up counts.
  ...(process.env.SECRET && { secret: process.env.SECRET }),
  transport: natsTransport({
    connection: () => connect({ servers, maxReconnectAttempts: -1, pingInterval: 2_000 }),
  }),
});

const app = express();
app.get("/status", (_request, response) => {
  const { replica, peers, isConnected, degraded } = cluster.status();
  const others = peers.filter(({ isAlive }) => isAlive).length;
  response.json({ replica, others, isConnected, degraded });
});
app.use(rateLimit({ preset: "api", name: "api", limit: 12, cluster }));
app.get("/", (_request, response) => {
  response.type("text").send(`Hello from process ${process.pid}\n`);
});

// Before it has received the counts of the others, it would allow only its share.
await cluster.ready;
serving(app.listen(PORT, HOST), () => cluster.leave());
