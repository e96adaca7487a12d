import { describe, expect, it } from "vitest";
import { ARRIVALS, arrivalsOf } from "../src/load/arrivals.ts";
import { Balancer, type Balancing } from "../src/load/balancing.ts";
import { keysOf } from "../src/load/keys.ts";
import { seededRandom } from "../src/seeded-random.ts";

const windowMs = 1_000;

describe("arrivals", () => {
  for (const kind of ARRIVALS) {
    it(`have the mean rate that was asked for: ${kind}`, () => {
      const perMs = 0.2;
      const next = arrivalsOf(kind, { perMs, windowMs, random: seededRandom(1) });
      let [atMs, edgeMs, hits] = [0, 0, 0];
      for (; atMs < 600_000; hits++) {
        const laterMs = next(atMs, edgeMs);
        if (laterMs < atMs) throw new Error(`a hit at ${laterMs} ms follows one at ${atMs} ms`);
        atMs = laterMs;
        if (atMs >= edgeMs) edgeMs = atMs + windowMs;
      }
      expect(hits / (atMs * perMs)).toBeGreaterThan(0.9);
      expect(hits / (atMs * perMs)).toBeLessThan(1.1);
    });
  }
});

describe("a load balancer", () => {
  const spread = (kind: Balancing, isAllowed = true): number[] => {
    const counts = [0, 0, 0, 0];
    const used = (replica: number): number => counts[replica]! + (replica === 2 ? 0 : 500);
    const balancer = new Balancer(kind, { replicas: 4, random: seededRandom(2), used });
    for (let hit = 0; hit < 1_200; hit++) {
      const replica = balancer.choose("ada");
      counts[replica]!++;
      balancer.decided(replica, isAllowed);
    }
    return counts;
  };

  it("spreads hits evenly, one after the other or unevenly", () => {
    expect(Math.min(...spread("even"))).toBeGreaterThan(250);
    expect(spread("round-robin")).toEqual([300, 300, 300, 300]);
    const [first = 0, second = 0, , last = 0] = spread("skewed");
    expect(first / second).toBeGreaterThan(1.7);
    expect(first / last).toBeGreaterThan(3);
  });

  it("keeps a key or a client at one replica", () => {
    for (const kind of ["sticky", "loyal", "next-when-refused"] as const) {
      expect(Math.max(...spread(kind)), kind).toBe(1_200);
    }
  });

  it("lets an attacker look for the replica that allows, or that knows least", () => {
    expect(Math.min(...spread("loyal", false))).toBeGreaterThan(250);
    expect(spread("next-when-refused", false)).toEqual([300, 300, 300, 300]);
    expect(spread("least-informed")).toEqual([175, 175, 675, 175]);
  });
});

describe("keys", () => {
  it("are hit by Zipf's law", () => {
    const next = keysOf({ count: 100 }, seededRandom(3));
    const counts = new Map<string | undefined, number>();
    for (let hit = 0; hit < 20_000; hit++) {
      const key = next();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const ratio = (counts.get("key 0") ?? 0) / (counts.get("key 9") ?? 0);
    expect(ratio).toBeGreaterThan(8);
    expect(ratio).toBeLessThan(12.5);
  });

  it("are fresh ones for a part of an attacker's hits", () => {
    const next = keysOf({ rotating: 0.25 }, seededRandom(4));
    const fresh = Array.from({ length: 1_000 }, next).filter((key) => key === undefined);
    expect(fresh.length).toBeGreaterThan(200);
    expect(fresh.length).toBeLessThan(300);
  });
});
