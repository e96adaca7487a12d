// @ts-check
// Two processes of one machine that share a port and a limit.

import workers from "node:cluster";
import { joinCluster } from "@tidegate/core";
import { ipcTransport } from "@tidegate/core/ipc";
import { rateLimit } from "@tidegate/express";
import express from "express";
import { HOST, PORT, serving } from "../serving.mjs";

if (workers.isPrimary) startTwo();
else await serve();

async function serve() {
  const cluster = joinCluster({ namespace: "two-processes", transport: ipcTransport() });
  const app = express();
  app.use(rateLimit({ preset: "api", name: "api", limit: 10, cluster }));
  app.get("/", (_request, response) => {
    response.type("text").send(`Hello from process ${process.pid}\n`);
  });
  // Before it has received the counts of the other, it would allow only its share.
  await cluster.ready;
  serving(app.listen(PORT, HOST), async () => {
    await cluster.leave();
    process.disconnect();
  });
}

function startTwo() {
  const both = [workers.fork(), workers.fork()];
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
    process.on(signal, () => {
      for (const { process } of both) process.kill(signal);
    });
  }
}
