import {
  type Cluster,
  createLimiter,
  fixedWindow,
  joinCluster,
  type Limiter,
} from "@tidegate/core";
import { type NatsTransport, natsTransport } from "@tidegate/nats-transport";
import { NatsServer, TcpProxy } from "@tidegate/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLIENTS } from "./clients.ts";

const HOUR_MS = 3_600_000;
/** So many counts that they take more than the megabyte that a transport queues. */
const KEYS = 250_000;
const AWAY_MS = 10;

let server: NatsServer;
let proxy: TcpProxy;

beforeEach(async () => {
  server = await NatsServer.start();
  proxy = await TcpProxy.start(Number(new URL(server.url).port));
});
afterEach(async () => {
  await proxy.stop();
  await server.stop();
});

interface Replica {
  readonly transport: NatsTransport;
  readonly cluster: Cluster;
  readonly limiter: Limiter;
}

describe.each(CLIENTS)("a process that leaves with much to publish, with $name", ({ connect }) => {
  function replica(url: string): Replica {
    const transport = natsTransport({ connection: () => connect(url) });
    const cluster = joinCluster({ namespace: "shop", transport });
    const policy = fixedWindow({ limit: 10, windowMs: HOUR_MS });
    return { transport, cluster, limiter: createLimiter({ name: "api", policy, cluster }) };
  }

  it("publishes all of it over a long line, and loses no frame by hurrying", async () => {
    const one = replica(proxy.url);
    const two = replica(server.url);
    await Promise.all([one.cluster.ready, two.cluster.ready]);
    proxy.delay(AWAY_MS);
    const { dropped } = one.cluster.status().frames;
    for (let key = 0; key < KEYS; key++) one.limiter.check(`key ${key}`);
    await one.cluster.leave();
    expect(one.cluster.status().frames.dropped).toBe(dropped);
    expect(one.cluster.status().lastTrouble).toBeNull();
    await expect.poll(() => two.limiter.status().keys, { timeout: 10_000 }).toBe(KEYS);
    await two.cluster.leave();
  });
});
