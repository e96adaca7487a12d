import { describe, expect, it } from "vitest";
import { type ConvergenceOptions, measureConvergence } from "../src/index.ts";

const usual: ConvergenceOptions = {
  seed: 1,
  replicas: 6,
  flushMs: 40,
  latency: { ms: 5 },
  probes: 12,
};

describe("the time until all replicas know of a hit", () => {
  it("is bounded by the flush interval, and the sooner the nearer the limit is", () => {
    const [far = [], half = [], near = []] = [0.1, 0.6, 0.995].map(
      (used) => measureConvergence({ ...usual, used }).allMs,
    );
    expect([far.length, half.length, near.length]).toEqual([12, 12, 12]);
    expect(far.at(-1)).toBeLessThanOrEqual(4 * 40 + 5 + 2);
    expect(half.at(-1)).toBeLessThanOrEqual(40 + 5 + 2);
    expect(near.at(-1)).toBeLessThanOrEqual(5 + 5 + 2);
    expect(near[0]).toBeGreaterThanOrEqual(5);
    expect(half[6]).toBeLessThan(far[6]!);
  });

  it("is measured for each of the other replicas", () => {
    const { allMs, eachMs } = measureConvergence(usual);
    expect(eachMs).toHaveLength(12 * 5);
    expect(eachMs.at(-1)).toBe(allMs.at(-1));
  });

  it("is longer when frames are lost, and still ends", () => {
    const { allMs } = measureConvergence({ ...usual, loss: 0.3 });
    expect(allMs.at(-1)).toBeGreaterThan(200);
    expect(allMs.at(-1)).toBeLessThan(20_000);
  });

  it("is without end when all frames are lost", () => {
    const { eachMs } = measureConvergence({ ...usual, loss: 1, probes: 1 });
    expect(eachMs).toEqual(Array.from({ length: 5 }, () => Number.POSITIVE_INFINITY));
  });

  it("is the same when a seed is run again", () => {
    expect(measureConvergence(usual)).toEqual(measureConvergence(usual));
  });
});
