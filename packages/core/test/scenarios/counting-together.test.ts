/**
 * What the functional scenarios of Gubernator ask of limits that hold over several replicas, and what
 * it does not do: weeks, months, a reset of all replicas, and replicas far away. Each title begins with
 * the name that the scenario has there; figures are our own.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Cluster,
  createLimiter,
  DAY,
  fixedWindow,
  HOUR,
  joinCluster,
  type Limiter,
  leakyBucket,
  MINUTE,
  type Policy,
  SECOND,
} from "../../src/index.ts";
import { type MemoryNetwork, memoryNetwork } from "../../src/testing.ts";

/** The tenth of March 2027, a Wednesday, at noon. */
const NOON_MS = Date.UTC(2027, 2, 10, 12);
const COUNT = 5;
const WAY_MS = 2;

let network: MemoryNetwork;
const clusters: Cluster[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: NOON_MS });
  network = memoryNetwork({ delayMs: WAY_MS });
});

afterEach(() => {
  for (const cluster of clusters.splice(0)) void cluster.leave();
  vi.useRealTimers();
});

function joined(): Cluster {
  const cluster = joinCluster({ transport: network.transport(), namespace: "scenario" });
  clusters.push(cluster);
  return cluster;
}

/** Limiters of some replicas that know each other. */
function together(policy: Policy, count = COUNT): Limiter[] {
  const limiters = Array.from({ length: count }, () =>
    createLimiter({ name: "scenario", policy, cluster: joined() }),
  );
  vi.advanceTimersByTime(2 * SECOND);
  return limiters;
}

/** Lets news go round. */
function pass(ms = 500): void {
  vi.advanceTimersByTime(ms);
}

function remainingOf(limiters: readonly Limiter[]): number[] {
  return limiters.map((limiter) => limiter.peek("account").remaining);
}

function sameFor(limiters: readonly Limiter[], remaining: number): void {
  expect(remainingOf(limiters)).toEqual(limiters.map(() => remaining));
}

const policies = [
  fixedWindow({ limit: 100, windowMs: HOUR }),
  leakyBucket({ capacity: 100, leakPerSecond: 1 / DAY }),
];

describe.each(policies)("a limit of $kind over several replicas", (policy) => {
  it("GlobalRateLimits: counts on one what all others know of soon after", () => {
    const limiters = together(policy);
    expect(limiters[0]!.check("account", 1).remaining).toBe(99);
    expect(limiters[0]!.check("account", 2).remaining).toBe(97);
    pass();
    sameFor(limiters, 97);
  });

  it("GlobalRateLimitsWithLoadBalancing: is one limit, whichever replica each hit finds", () => {
    const limiters = together(policy);
    let passed = 0;
    for (let hit = 0; hit < 150; hit++) {
      if (limiters[hit % COUNT]!.check("account").allowed) passed++;
      pass(20);
    }
    expect(passed).toBe(100);
    sameFor(limiters, 0);
  });

  it("GlobalRateLimitsPeerOverLimit: is used up for all when one has used it up", () => {
    const limiters = together(policy);
    limiters[1]!.check("account", 100);
    pass();
    for (const limiter of limiters) expect(limiter.check("account").allowed).toBe(false);
    pass();
    // Refused hits have not been counted.
    for (const limiter of limiters) expect(limiter.peek("account").used).toBe(100);
  });

  it("GlobalRequestMoreThanAvailable: loses nothing to hits that do not fit, on any replica", () => {
    const limiters = together(policy);
    limiters[0]!.check("account", 60);
    pass();
    for (const limiter of limiters) expect(limiter.check("account", 50).allowed).toBe(false);
    pass();
    sameFor(limiters, 40);
    expect(limiters[3]!.check("account", 40).allowed).toBe(true);
    pass();
    sameFor(limiters, 0);
  });

  it("GlobalNegativeHits: has room on all for what one gives back", () => {
    const limiters = together(policy);
    const first = limiters[0]!.check("account", 10);
    limiters[1]!.check("account", 20);
    pass();
    sameFor(limiters, 70);
    limiters[0]!.refund("account", 4, first);
    pass();
    sameFor(limiters, 74);
  });

  it("GlobalResetRemaining: is full for all when one resets it", () => {
    const limiters = together(policy);
    limiters[0]!.check("account", 100);
    pass();
    limiters[4]!.reset("account");
    pass();
    sameFor(limiters, 100);
    expect(limiters[2]!.check("account").remaining).toBe(99);
    pass();
    sameFor(limiters, 99);
  });

  it("reset of everything: fills every key for all, and for who was cut off as soon as it is back", () => {
    const transports = [network.transport(), network.transport(), network.transport()];
    const limiters = transports.map((transport) => {
      const cluster = joinCluster({ transport, namespace: "scenario" });
      clusters.push(cluster);
      return createLimiter({ name: "scenario", policy, cluster });
    });
    pass(2 * SECOND);
    const keys = Array.from({ length: 50 }, (_, index) => `account-${index}`);
    for (const key of keys) for (const limiter of limiters) limiter.check(key, 30);
    pass();
    const [here, there, away] = transports as [(typeof transports)[0], ...typeof transports];
    for (const other of [here, there!]) {
      network.cut(other, away!);
      network.cut(away!, other);
    }
    pass(SECOND);
    limiters[0]!.resetAll();
    pass();
    const left = (limiter: Limiter): number[] => [
      ...new Set(keys.map((key) => limiter.peek(key).remaining)),
    ];
    expect(limiters.map(left)).toEqual([[100], [100], [10]]);
    network.heal();
    pass(5 * SECOND);
    expect(limiters.map(left)).toEqual([[100], [100], [100]]);
  });

  it("ChangeLimit: has what was counted on all, whatever limit each has", () => {
    const limiters = together(policy, 2);
    limiters[0]!.check("account", 20, { limit: 100 });
    pass();
    expect(limiters[1]!.check("account", 1, { limit: 25 }).remaining).toBe(4);
    pass();
    expect(limiters[0]!.check("account", 1, { limit: 200 }).remaining).toBe(178);
  });
});

describe("replicas that share limits", () => {
  it("GetPeerRateLimits: hear of a thousand keys that were counted at once", () => {
    const limiters = together(fixedWindow({ limit: 10_000, windowMs: HOUR }), 2);
    for (let key = 0; key < 1_000; key++) limiters[0]!.check(`k${key}`, 1 + key);
    pass();
    const heard = Array.from({ length: 1_000 }, (_, key) => limiters[1]!.peek(`k${key}`).used);
    expect(heard).toEqual(heard.map((_, key) => 1 + key));
  });

  it("GlobalBehavior: say once what many hits of a moment came to", () => {
    const limiters = together(fixedWindow({ limit: 1_000_000, windowMs: HOUR }));
    limiters[0]!.check("account");
    pass();
    const sent = clusters[0]!.status().frames.sent;
    for (let hit = 0; hit < 1_000; hit++) limiters[0]!.check("account");
    pass();
    sameFor(limiters, 1_000_000 - 1_001);
    // The counts, and a heartbeat.
    expect(clusters[0]!.status().frames.sent - sent).toBeLessThanOrEqual(2);
  });

  it("HealthCheck: say whom they hear, and that they are cut off", () => {
    const limiters = together(fixedWindow({ limit: 10, windowMs: HOUR }), 2);
    expect(clusters[0]!.status()).toMatchObject({
      degraded: false,
      partitions: 0,
      peers: [{ isAlive: true }],
    });
    network.change({ loss: 1 });
    pass(5 * SECOND);
    expect(clusters[0]!.status()).toMatchObject({
      degraded: true,
      partitions: 1,
      peers: [{ isAlive: false }],
    });
    expect(limiters[0]!.check("account")).toMatchObject({ allowed: true, degraded: true });
    network.change({});
    pass(3 * SECOND);
    expect(clusters[0]!.status()).toMatchObject({
      degraded: false,
      partitions: 1,
      peers: [{ isAlive: true }],
    });
  });

  it.each([
    ["weeks", "week", Date.UTC(2027, 2, 15)],
    ["months", "month", Date.UTC(2027, 3, 1)],
  ] as const)(
    "%s: share a quota for the %s and all have the next one when it begins",
    (_, calendar, endsAtMs) => {
      vi.setSystemTime(endsAtMs - MINUTE);
      const limiters = together(fixedWindow({ limit: 60, calendar }), 3);
      for (const limiter of limiters) limiter.check("account", 20);
      pass();
      sameFor(limiters, 0);
      // What a replica knows of the others' clocks may be off by the way of a frame.
      pass(endsAtMs - WAY_MS - Date.now());
      sameFor(limiters, 0);
      pass(2 * WAY_MS);
      sameFor(limiters, 60);
      limiters[0]!.check("account", 7);
      pass();
      sameFor(limiters, 53);
    },
  );

  it("several regions: agree as near ones do, later by the way", () => {
    network.change({ delayMs: 250 });
    const limiters = together(fixedWindow({ limit: 100, windowMs: HOUR }), 4);
    for (const limiter of limiters) limiter.check("account", 10);
    pass(200);
    expect(remainingOf(limiters)).not.toContain(60);
    pass(SECOND);
    sameFor(limiters, 60);
  });
});

describe("a leaky bucket with maxWaitMs", () => {
  it("shapes a burst that comes to three replicas at once at three times the rate", () => {
    const policy = leakyBucket({ capacity: 1, leakPerSecond: 10, maxWaitMs: 10 * SECOND });
    const limiters = together(policy, 3);
    const waits = limiters.flatMap((limiter) =>
      Array.from({ length: 20 }, () => limiter.check("ada").waitMs),
    );
    const leftWithin = (ms: number) => waits.filter((waitMs) => waitMs < ms).length;
    expect([leftWithin(SECOND), leftWithin(2 * SECOND)]).toEqual([30, 60]);
    // What follows waits for all of it.
    pass();
    expect(limiters[0]!.check("ada").waitMs).toBeGreaterThan(4 * SECOND);
  });
});
