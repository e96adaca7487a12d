/**
 * One process of a fleet: `fleet-worker.js <parameters as JSON>`, started by the scenario `fleet`.
 *
 * It serves Express behind one limiter on a port of its own, and answers its first question with that port.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process, { argv } from "node:process";
import { joinCluster } from "@tidegate/core";
import { ipcTransport } from "@tidegate/core/ipc";
import { rateLimit } from "@tidegate/express";
import express, { type RequestHandler } from "express";
import { rateLimit as peer } from "express-rate-limit";
import type { Reply } from "../asked-process.ts";
import type { LimiterName } from "./site.ts";

export interface FleetWorkerParameters {
  readonly limiter: Exclude<LimiterName, "by hand">;
  readonly limit: number;
  readonly windowMs: number;
  /** Keeps two fleets on one machine apart. */
  readonly namespace: string;
}

const [given] = argv.slice(2);
if (process.send === undefined || given === undefined) {
  throw new Error("a process of a fleet is started by the scenario that measures it");
}
const parameters: FleetWorkerParameters = JSON.parse(given);
const opening = open(parameters);
process.on("disconnect", () => process.exit());
process.on("message", () => {
  opening.then(
    (value) => process.send?.({ value } satisfies Reply),
    (error: unknown) => process.send?.({ error: String(error) } satisfies Reply),
  );
});

/** Resolves to the port once requests are taken. */
async function open({
  limiter,
  limit,
  windowMs,
  namespace,
}: FleetWorkerParameters): Promise<number> {
  const app = express();
  let ready: Promise<void> = Promise.resolve();
  let middleware: RequestHandler = peer({ limit, windowMs });
  if (limiter === "tidegate") {
    const cluster = joinCluster({ namespace, transport: ipcTransport() });
    middleware = rateLimit({ limit, windowMs, name: "api", cluster });
    ready = cluster.ready;
  }
  app.use(middleware);
  app.use((_request, response) => {
    response.end("admitted");
  });
  await ready;
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
