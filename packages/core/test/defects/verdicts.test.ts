/**
 * What has gone wrong elsewhere with decisions that replicate: see
 * docs/internals/defects-of-others.md.
 */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { tokenBucket } from "../../src/policies/bucket.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { hit, TappedCluster, type TappedMember, used } from "../cluster/tapped-cluster.ts";

let cluster: TappedCluster;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  cluster = new TappedCluster();
});

afterEach(() => {
  vi.useRealTimers();
});

function members(count: number, limiterOptions: object = {}): TappedMember[] {
  const added = Array.from({ length: count }, () => cluster.add({}, limiterOptions));
  vi.advanceTimersByTime(1_000);
  return added;
}

function allowed({ limiter }: TappedMember, times: number, key = "ada"): number {
  let passed = 0;
  for (let time = 0; time < times; time++) if (limiter.check(key).allowed) passed++;
  return passed;
}

describe("a decision", () => {
  it("stays local: a hit too large for one key refuses nothing of others", () => {
    const [one, two] = members(2);
    expect(one!.limiter.check("ada", 101).allowed).toBe(false);
    vi.advanceTimersByTime(500);
    expect(used(two!)).toBe(0);
    expect(allowed(two!, 100)).toBe(100);
  });

  it("stays local: a refused hit refuses nothing later", () => {
    const policy = slidingWindow({ limit: 100, windowMs: 12_000 });
    const [one, two] = members(2, { policy });
    hit(one!, 100);
    vi.advanceTimersByTime(11_900);
    expect(one!.limiter.check("ada").allowed).toBe(false);
    vi.advanceTimersByTime(2_000);
    expect(two!.limiter.check("ada").allowed).toBe(true);
  });

  it("is the same on every replica once the counts have arrived: none goes on with yes", () => {
    const all = members(5);
    hit(all[0]!, 100);
    vi.advanceTimersByTime(300);
    expect(all.map(({ limiter }) => limiter.check("ada").allowed)).toEqual(Array(5).fill(false));
  });

  it("does not allow the rest of the limit once for each replica", () => {
    const all = members(10, { policy: fixedWindow({ limit: 100, windowMs: 60_000 }) });
    let passed = 0;
    // Ten times the limit in a second, however the hits fall on replicas.
    for (let hits = 0; hits < 1_000; hits++) {
      passed += allowed(all[(hits * 7) % 10]!, 1);
      vi.advanceTimersByTime(1);
    }
    expect(passed).toBeGreaterThanOrEqual(100);
    expect(passed).toBeLessThan(125);
  });

  it("of several policies that one refused leaves nothing behind on others", () => {
    const policies = [
      fixedWindow({ name: "minute", limit: 10, windowMs: 60_000 }),
      fixedWindow({ name: "hour", limit: 100, windowMs: 3_600_000 }),
    ];
    const [one, two] = members(2, { policy: undefined, policies });
    hit(one!, 30);
    vi.advanceTimersByTime(500);
    expect(two!.limiter.inspect("ada").results.map((result) => result.used)).toEqual([10, 10]);
  });
});

describe("counts", () => {
  it("of two replicas in one bucket add up, although both began from the same", () => {
    const policy = tokenBucket({ capacity: 1_000, refillPerSecond: 0.001 });
    const [one, two] = members(2, { policy });
    hit(one!, 50);
    hit(two!, 50);
    vi.advanceTimersByTime(500);
    expect([used(one!), used(two!)]).toEqual([100, 100]);
  });

  it("are published before much of what is left is hidden, by any number of replicas", () => {
    const all = members(10, { policy: fixedWindow({ limit: 1_000, windowMs: 60_000 }) });
    for (const member of all) hit(member, 1);
    vi.advanceTimersByTime(250);
    for (const member of all) hit(member, 59);
    // Ten replicas may hide half of the 400 hits that are left.
    vi.advanceTimersByTime(10);
    for (const member of all) expect(used(member)).toBeGreaterThan(600 - 400 / 2);
    vi.advanceTimersByTime(250);
    expect(all.map((member) => used(member))).toEqual(Array(10).fill(600));
  });

  it("are published by the replica that counted them, so one without hits sends nothing but heartbeats", () => {
    const [one, two, idle] = members(3) as [TappedMember, TappedMember, TappedMember];
    vi.advanceTimersByTime(2_000);
    const before = idle.cluster.status().frames;
    for (let round = 0; round < 100; round++) {
      hit(one, 3, `key ${round}`);
      hit(two, 3, `key ${round}`);
      vi.advanceTimersByTime(100);
    }
    const { sent, sentBytes } = idle.cluster.status().frames;
    expect(sent - before.sent).toBeLessThanOrEqual(13);
    expect(sentBytes - before.sentBytes).toBeLessThan(1_000);
  });

  it("of many requests leave together: never one frame for each", () => {
    const [one] = members(3);
    const before = one!.cluster.status().frames.sent;
    for (let ms = 0; ms < 1_000; ms++) {
      for (let client = 0; client < 5; client++) hit(one!, 1, `client ${client}`);
      vi.advanceTimersByTime(1);
    }
    expect(one!.cluster.status().frames.sent - before).toBeLessThan(205);
  });
});

describe("a reset and a limit", () => {
  it("reset reaches all others, although nothing was counted with it", () => {
    const [one, two] = members(2);
    hit(one!, 60);
    vi.advanceTimersByTime(300);
    two!.limiter.reset("ada");
    vi.advanceTimersByTime(50);
    expect([used(one!), used(two!)]).toEqual([0, 0]);
  });

  it("limits, bursts and rates are each process's own: frames of others change none", () => {
    const policies = [5, 50].map((limit) => [
      fixedWindow({ limit, windowMs: 60_000 }),
      tokenBucket({ capacity: limit, refillPerSecond: 1 }),
    ]);
    const [one, two] = policies.map((both) =>
      cluster.add({}, { policy: undefined, policies: both }),
    );
    vi.advanceTimersByTime(1_000);
    hit(one!, 3);
    hit(two!, 20);
    vi.advanceTimersByTime(300);
    const limits = [one!, two!].map(({ limiter }) =>
      limiter.inspect("ada").results.map((result) => result.limit),
    );
    expect(limits).toEqual([
      [5, 5],
      [50, 50],
    ]);
  });
});

describe("replication that fails", () => {
  /** A transport that is of no use at all. */
  const broken = (open: () => void): Transport => ({
    connected: false,
    open,
    publish: () => false,
    close: () => {},
  });

  it("leaves limits in force, and reports it", () => {
    const [one] = [cluster.add({ transport: broken(() => {}) })];
    vi.advanceTimersByTime(5_000);
    expect(allowed(one!, 150)).toBe(100);
    expect(one!.cluster.status()).toMatchObject({ isConnected: false });
  });

  it("makes no request wait, neither allowed ones nor refused ones", () => {
    const one = cluster.add({ transport: broken(() => {}) });
    const before = Date.now();
    expect(allowed(one, 1_000)).toBe(100);
    // Not a millisecond of faked time has passed, and nothing could be awaited.
    expect(Date.now() - before).toBe(0);
  });

  it("does not count replicas that left: they have no share of what the rest may allow", async () => {
    const all = members(4, { onPartition: "share" });
    const leaving = [all[2]!.cluster.leave(), all[3]!.cluster.leave()];
    await vi.advanceTimersByTimeAsync(200);
    await Promise.all(leaving);
    vi.advanceTimersByTime(5_000);
    cluster.network.cut(all[1]!.transport, all[0]!.transport);
    vi.advanceTimersByTime(6_000);
    expect(all[0]!.cluster.status().degraded).toBe(true);
    expect(allowed(all[0]!, 150)).toBe(50);
  });
});
