import { setTimeout as pause } from "node:timers/promises";
import {
  type Cluster,
  createLimiter,
  fixedWindow,
  joinCluster,
  type Limiter,
} from "@tidegate/core";
import { natsTransport } from "@tidegate/nats-transport";
import { NatsServer } from "@tidegate/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLIENTS } from "./clients.ts";

const HOUR_MS = 3_600_000;
const COUNT = 4;

let server: NatsServer;
let clusters: Cluster[] = [];

beforeEach(async () => {
  server = await NatsServer.start();
});
afterEach(async () => {
  await Promise.all(clusters.map((cluster) => cluster.leave()));
  await server.stop();
});

/** Limiters as in so many processes, with both clients mixed. */
function limiters(): Limiter[] {
  clusters = Array.from({ length: COUNT }, (_, index) => {
    const { connect } = CLIENTS[index % CLIENTS.length]!;
    const transport = natsTransport({ connection: () => connect(server.url) });
    return joinCluster({ namespace: "shop", transport });
  });
  const policy = fixedWindow({ limit: 1_000_000, windowMs: HOUR_MS });
  return clusters.map((cluster) => createLimiter({ name: "api", policy, cluster }));
}

async function agree(all: readonly Limiter[], used: number): Promise<void> {
  const views = () => all.map((limiter) => limiter.peek("ada").used);
  await expect.poll(views, { timeout: 10_000 }).toEqual(all.map(() => used));
}

describe("limiters of processes that NATS connects", () => {
  it("count towards one limit, whichever client they use", async () => {
    const all = limiters();
    await Promise.all(clusters.map(({ ready }) => ready));
    for (const limiter of all) for (let hits = 0; hits < 25; hits++) limiter.check("ada");
    await agree(all, 100);
  });

  it("need a namespace, since other services may use the same servers", () => {
    const transport = natsTransport({ connection: () => CLIENTS[0]!.connect(server.url) });
    expect(() => joinCluster({ transport })).toThrow("joinCluster needs 'namespace'");
  });

  it("count before the server is up, while it is away, and agree whenever it is back", async () => {
    await server.kill();
    const all = limiters();
    for (const limiter of all) limiter.check("ada", 1);
    await server.restart();
    await agree(all, COUNT);
    await server.kill();
    for (const limiter of all) {
      expect(limiter.check("ada", 10).allowed).toBe(true);
      await pause(50);
    }
    expect(clusters.map((cluster) => cluster.status().isConnected)).not.toContain(true);
    await server.restart();
    await agree(all, 11 * COUNT);
  });

  it("lose nothing while the server is frozen", async () => {
    const all = limiters();
    for (const limiter of all) limiter.check("ada", 1);
    await agree(all, COUNT);
    await server.freeze();
    for (let round = 0; round < 20; round++) {
      for (const limiter of all) expect(limiter.check("ada", 1).allowed).toBe(true);
      await pause(75);
    }
    server.thaw();
    await agree(all, 21 * COUNT);
  });
});
