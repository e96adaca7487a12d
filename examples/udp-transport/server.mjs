// @ts-check
// Two processes that share a limit over UDP. One program starts both, for the sake of one command.

import { fork } from "node:child_process";
import { createServer } from "node:http";
import { createLimiter, fixedWindow, joinCluster, MINUTE } from "@tidegate/core";
import { HOST, PORT, serving } from "../serving.mjs";
import { udpTransport } from "./udp-transport.mjs";

const FLEET = (process.env.FLEET ?? "127.0.0.1:41001,127.0.0.1:41002").split(",");
const LISTEN = process.env.LISTEN;

if (LISTEN === undefined) startAll();
else await serve(LISTEN);

/** @param {string} listen */
async function serve(listen) {
  const cluster = joinCluster({
    namespace: "udp-transport",
    // Without one, any program that can send a datagram from an address of the fleet can make up counts.
    ...(process.env.SECRET && { secret: process.env.SECRET }),
    transport: udpTransport({ listen, fleet: FLEET }),
  });
  const limiter = createLimiter({
    name: "api",
    policy: fixedWindow({ limit: 10, windowMs: MINUTE }),
    cluster,
  });
  const server = createServer((_request, response) => {
    const { allowed, retryAfterMs } = limiter.check("all clients");
    if (!allowed) {
      response.setHeader("Retry-After", Math.ceil(retryAfterMs / 1_000));
      response.writeHead(429).end("Too many requests\n");
      return;
    }
    response.end(`Hello from process ${process.pid}\n`);
  });
  // Before it has received the counts of the other, it would allow only its share.
  await cluster.ready;
  serving(server.listen(PORT, HOST), async () => {
    await cluster.leave();
    process.disconnect();
  });
}

function startAll() {
  const file = new URL(import.meta.url);
  const processes = FLEET.map((listen, index) => {
    const port = String(PORT === 0 ? 0 : PORT + index);
    return fork(file, { env: { ...process.env, LISTEN: listen, PORT: port } });
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
    process.on(signal, () => {
      for (const one of processes) one.kill(signal);
    });
  }
}
