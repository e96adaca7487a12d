import { setTimeout as pause } from "node:timers/promises";
import type { ReplicaProcess, TrafficFigures } from "@tidegate/testkit";
import { describe, expect } from "vitest";
import { admitted, admittedByWindow, staleHits } from "./admission.ts";
import { agree, it, SCENARIOS, truthOf, underTraffic, until } from "./fleet-over-nats.ts";

/** A flush, and the way. */
const NEWS_MS = 100;
/**
 * A heartbeat that names missing frames, the wait before a replica relays them, and another round
 * of both.
 */
const RELAYED_MS = 5_000;
const HOUR_MS = 3_600_000;
const KEY = "busy";

function window(limit: number, windowMs: number) {
  return { kind: "fixedWindow", limit, windowMs } as const;
}

function begin(replicas: readonly ReplicaProcess[], perSecond: number): Promise<unknown> {
  const flow = { key: KEY, perSecond, isRecorded: true };
  return Promise.all(replicas.map((replica) => replica.begin(flow)));
}

function end(replicas: readonly ReplicaProcess[]): Promise<TrafficFigures[]> {
  return Promise.all(replicas.map((replica) => replica.end()));
}

async function isDegraded(replica: ReplicaProcess): Promise<boolean> {
  return (await replica.status()).degraded;
}

describe("servers that lose the route between two of them", SCENARIOS, () => {
  it("leave views equal and exact, since the third relays what the two do not receive", async ({
    lab,
  }) => {
    const cluster = await lab.cluster();
    const url = (number: number) => cluster.servers[number % 3]!.url;
    const replicas = await lab.started({ url });
    await underTraffic("route cut between two of three servers", replicas, async () => {
      cluster.between(0, 1).cut();
      await cluster.hasRoutes(0, 1);
      await pause(4_000);
    });
    await cluster.hasRoutes(0, 1);
    cluster.between(0, 1).heal();
    await cluster.hasRoutes(0, 2);
    const [one, two, three] = replicas;
    const counted = await one!.view("even");
    await Promise.all([one, two, three].map((replica) => replica!.hit("even", 10)));
    await agree(replicas, "even", counted + 30);
  });

  it("do not make one limit two, since frames are relayed by the third", async ({ lab }) => {
    const limit = 1_500;
    const perSecond = 150;
    const cluster = await lab.cluster();
    const url = (number: number) => cluster.servers[number]!.url;
    const replicas = await lab.started({ url, policy: window(limit, HOUR_MS) }, 3);
    cluster.between(0, 1).cut();
    await cluster.hasRoutes(0, 1);
    const deaf = replicas.slice(0, 2);
    await begin(deaf, perSecond);
    await pause((1_000 * limit) / (deaf.length * perSecond) + RELAYED_MS);
    const figures = await end(deaf);
    const passed = admitted(figures);
    expect(passed).toBeGreaterThanOrEqual(limit);
    expect(passed).toBeLessThanOrEqual(limit + staleHits(figures, perSecond / 2, RELAYED_MS));
    await agree(replicas, KEY, passed);
  });

  it("do not make one limit three if a server loses both routes, but two sides", async ({
    lab,
  }) => {
    const limit = 400;
    const perSecond = 200;
    const cluster = await lab.cluster();
    const url = (number: number) => cluster.servers[number]!.url;
    const replicas = await lab.started({ url, policy: window(limit, HOUR_MS) }, 3);
    await replicas[0]!.hit(KEY, 100);
    await agree(replicas, KEY, 100);
    cluster.between(0, 2).cut();
    cluster.between(1, 2).cut();
    await cluster.hasRoutes(2, 0);
    await begin(replicas, perSecond);
    await pause(6_000);
    expect(await isDegraded(replicas[2]!)).toBe(true);
    const figures = await end(replicas);
    const [together, alone] = [figures.slice(0, 2), figures.slice(2)];
    expect(admitted(together)).toBeGreaterThanOrEqual(limit - 100);
    expect(admitted(together)).toBeLessThanOrEqual(
      limit - 100 + staleHits(together, perSecond, NEWS_MS),
    );
    expect(admitted(alone)).toBe(limit - 100);
    cluster.between(0, 2).heal();
    cluster.between(1, 2).heal();
    await agree(replicas, KEY, 100 + admitted(figures));
  });
});

describe("a process that is partitioned", SCENARIOS, () => {
  it("allows the rest of the limit, reports it, and receives what was allowed meanwhile", async ({
    lab,
  }) => {
    const limit = 300;
    const there = await lab.server();
    const line = await lab.lineTo(there);
    const url = (number: number) => (number === 0 ? line.url : there.url);
    const replicas = await lab.started({ url, policy: window(limit, HOUR_MS) }, 3);
    const [apart, ...others] = replicas;
    await apart!.hit(KEY, 100);
    await agree(replicas, KEY, 100);
    line.cut();
    await until(() => isDegraded(apart!), 5_000);
    expect(await apart!.check("another")).toMatchObject({ allowed: true, degraded: true });
    expect((await apart!.events()).join()).toContain("partitioned from 2 other replicas");
    await begin(replicas, 200);
    await pause(2_500);
    const figures = await end(replicas);
    expect(admitted(figures.slice(0, 1))).toBe(limit - 100);
    const side = figures.slice(1);
    expect(admitted(side)).toBeGreaterThanOrEqual(limit - 100);
    expect(admitted(side)).toBeLessThanOrEqual(limit - 100 + staleHits(side, 200, NEWS_MS));
    expect(figures[0]!.degraded).toBe(figures[0]!.checks);
    // Of three, a single crash is no partition for the two that receive each other.
    expect(await Promise.all(others.map(isDegraded))).toEqual([false, false]);
    line.heal();
    await agree(replicas, KEY, 100 + admitted(figures));
    await until(async () => !(await isDegraded(apart!)), 5_000);
    expect(await apart!.check(KEY)).toMatchObject({ allowed: false, degraded: false });
    expect((await apart!.events()).at(-1)).toBe("frames of all other replicas arrive again");
  });

  it("takes its share of the rest with 'share', so that no more than the limit is allowed", async ({
    lab,
  }) => {
    const limit = 300;
    const there = await lab.server();
    const line = await lab.lineTo(there);
    const url = (number: number) => (number === 0 ? line.url : there.url);
    const policy = window(limit, HOUR_MS);
    const replicas = await lab.started({ url, policy, onPartition: "share" }, 3);
    await replicas[0]!.hit(KEY, 60);
    await agree(replicas, KEY, 60);
    line.cut();
    await until(() => isDegraded(replicas[0]!), 5_000);
    const { allowed } = await replicas[0]!.hit(KEY, 300);
    expect(allowed).toBe((limit - 60) / 3);
    expect(await replicas[0]!.check(KEY)).toMatchObject({
      allowed: false,
      reason: "partition",
      retryAfterMs: 1_000,
    });
    line.heal();
    await agree(replicas, KEY, 60 + allowed);
  });

  it("allows nothing with 'closed', and everything again once frames of others arrive", async ({
    lab,
  }) => {
    const there = await lab.server();
    const line = await lab.lineTo(there);
    const url = (number: number) => (number === 0 ? line.url : there.url);
    const policy = window(300, HOUR_MS);
    const replicas = await lab.started({ url, policy, onPartition: "closed" }, 3);
    line.cut();
    await until(() => isDegraded(replicas[0]!), 5_000);
    expect((await replicas[0]!.hit(KEY, 50)).allowed).toBe(0);
    line.heal();
    await until(async () => !(await isDegraded(replicas[0]!)), 5_000);
    expect((await replicas[0]!.hit(KEY, 50)).allowed).toBe(50);
  });

  it("has a limit of its own in windows that begin and end meanwhile, and shares them again", async ({
    lab,
  }) => {
    const limit = 200;
    const windowMs = 2_000;
    const perSecond = 150;
    const there = await lab.server();
    const line = await lab.lineTo(there);
    const url = (number: number) => (number === 0 ? line.url : there.url);
    const replicas = await lab.started({ url, policy: window(limit, windowMs) }, 3);
    await begin(replicas, perSecond);
    await pause(500);
    line.hold("toServer", "toClient");
    await pause(7_000);
    line.heal();
    // Until it has received the counts, which it requests when it is back.
    await pause(2 * windowMs);
    const healed = await Promise.all(replicas.map((replica) => replica.figures()));
    await pause(3 * windowMs);
    const after = await end(replicas);
    const stale = staleHits([...healed, ...after].slice(0, 3), perSecond, NEWS_MS);
    for (const { hits } of admittedByWindow(healed.slice(0, 1))) {
      expect(hits).toBeLessThanOrEqual(limit);
    }
    for (const { hits } of admittedByWindow(healed.slice(1))) {
      expect(hits).toBeLessThanOrEqual(limit + stale);
    }
    // The first and the last are seen in part.
    const whole = admittedByWindow(after).slice(1, -1);
    expect(whole.length).toBeGreaterThan(0);
    for (const { hits } of whole) {
      expect(hits).toBeGreaterThanOrEqual(limit);
      expect(hits).toBeLessThanOrEqual(limit + stale);
    }
    expect(truthOf(after)[KEY]).toBeGreaterThan(2 * limit);
  });
});
