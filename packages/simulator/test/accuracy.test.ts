import {
  fixedWindow,
  leakyBucket,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@tidegate/core";
import { describe, expect, it } from "vitest";
import { type AccuracyOptions, BALANCINGS, measureAccuracy } from "../src/index.ts";

const allowance = { limit: 200, windowMs: 1_000 };
const usual: AccuracyOptions = {
  ...{ ...allowance, seed: 1, replicas: 4, load: 3, windows: 6 },
  ...{ policy: fixedWindow(allowance), latency: { ms: 10, jitterMs: 2 } },
};
const policies: [string, Policy][] = [
  ["fixedWindow", usual.policy],
  ["fixedWindow, aligned", fixedWindow({ ...allowance, align: true })],
  ["slidingWindow", slidingWindow(allowance)],
  ["slidingLog", slidingLog(allowance)],
  ["tokenBucket", tokenBucket({ capacity: 200, refillPerSecond: 200 })],
  ["leakyBucket", leakyBucket({ capacity: 200, leakPerSecond: 200 })],
];

describe("the accuracy of a fleet", () => {
  it("is the same when a seed is run again, and another from another seed", () => {
    const [once, again] = [measureAccuracy(usual), measureAccuracy(usual)];
    expect(again).toEqual(once);
    expect(measureAccuracy({ ...usual, seed: 2 })).not.toEqual(once);
  });

  for (const [name, policy] of policies) {
    it(`is that of an exact limiter for a single replica: ${name}`, () => {
      const result = measureAccuracy({ ...usual, policy, replicas: 1 });
      expect(result.limitedWindows).toBe(result.windows);
      expect(result.windows).toBeGreaterThanOrEqual(5);
      expect(result.wronglyRefused).toBe(0);
      expect(Math.abs(result.over.mean), "mean").toBeLessThan(0.03);
      expect(Math.abs(result.sustained - 1), "sustained").toBeLessThan(0.03);
    });
  }

  it("is worse, the longer counts are on their way", () => {
    const replica = { anticipate: false };
    const overs = [0, 20, 80].map(
      (ms) => measureAccuracy({ ...usual, latency: { ms }, replica }).over.mean,
    );
    expect(overs).toEqual([...overs].sort((one, other) => one - other));
    expect(overs[2]).toBeGreaterThan(0.1);
    expect(overs[2]).toBeLessThan(0.4);
  });

  it("is a whole limit for each replica that receives nothing", () => {
    const result = measureAccuracy({ ...usual, load: 8, loss: 1 });
    expect(result.over.mean).toBeGreaterThan(2.5);
    expect(result.over.mean).toBeLessThanOrEqual(3.1);
  });

  it("says that no window was limited while all hits are within the limit", () => {
    const result = measureAccuracy({ ...usual, load: 0.5 });
    expect(result.limitedWindows).toBe(0);
    expect(result).toMatchObject({ wronglyRefused: 0, law: 0, over: { mean: 0, worst: 0 } });
    expect(result.admitted).toBe(result.offered);
  });

  it("adds up runs of several seeds", () => {
    const [one, two] = [measureAccuracy(usual), measureAccuracy({ ...usual, seed: 2 })];
    const both = measureAccuracy({ ...usual, runs: 2 });
    expect(both.offered).toBe(one.offered + two.offered);
    expect(both.over.worst).toBe(Math.max(one.over.worst, two.over.worst));
  });

  for (const balancing of BALANCINGS) {
    it(`is within what all replicas may admit alone: ${balancing}`, () => {
      const { over, worstSpan } = measureAccuracy({ ...usual, balancing });
      expect(over.mean).toBeLessThan(0.1);
      expect(worstSpan).toBeLessThan(2.2);
    });
  }

  it("is exact if all hits of a key reach one replica", () => {
    expect(measureAccuracy({ ...usual, balancing: "sticky" }).over).toMatchObject({ worst: 0 });
  });

  it("lets an attacker at the edges have two limits in one span", () => {
    const attacked = { ...usual, arrivals: "edges", load: 1.2 } as const;
    const aligned = fixedWindow({ ...allowance, align: true });
    expect(measureAccuracy(attacked).exactWorstSpan).toBeGreaterThan(1.9);
    for (const policy of [usual.policy, aligned]) {
      const { worstSpan } = measureAccuracy({ ...attacked, policy });
      expect(worstSpan).toBeGreaterThan(1.9);
      expect(worstSpan).toBeLessThan(2.6);
    }
    expect(
      measureAccuracy({ ...attacked, policy: slidingLog(allowance) }).exactWorstSpan,
    ).toBeLessThanOrEqual(1);
  });
});
