import {
  fixedWindow,
  leakyBucket,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@tidegate/core";
import { describe, expect, it } from "vitest";
import { type AccuracyOptions, type AccuracyResult, measureAccuracy } from "../src/index.ts";

const allowance = { limit: 1_000, windowMs: 1_000 };
const policies: [string, Policy][] = [
  ["fixedWindow", fixedWindow(allowance)],
  ["fixedWindow, aligned", fixedWindow({ ...allowance, align: true })],
  ["slidingWindow", slidingWindow(allowance)],
  ["slidingLog", slidingLog(allowance)],
  ["tokenBucket", tokenBucket({ capacity: 1_000, refillPerSecond: 1_000 })],
  ["leakyBucket", leakyBucket({ capacity: 1_000, leakPerSecond: 1_000 })],
];

/** Ten replicas with the defaults, five milliseconds apart. */
function measured(options: Partial<AccuracyOptions>): AccuracyResult {
  return measureAccuracy({
    ...{ ...allowance, seed: 1, replicas: 10, policy: policies[0]![1], windows: 4 },
    ...{ warmUpWindows: 3, latency: { ms: 5 }, ...options },
  });
}

describe("ten replicas", () => {
  for (const [name, policy] of policies) {
    it(`allow a limit to 1 % in the mean, at 2, 5 and 10 times the limit: ${name}`, () => {
      // What a bucket allows too early it does not allow later, at any load.
      const isBucket = name.endsWith("Bucket");
      const isSlow = isBucket || name === "slidingLog";
      for (const load of isSlow ? [5] : [2, 5, 10]) {
        const { over, sustained } = measured({ policy, load });
        const beyond = isBucket ? sustained - 1 : over.mean;
        expect(Math.abs(beyond), `${load} times`).toBeLessThan(0.01);
      }
    });
  }

  it("allow more without anticipation, and no more than the time that a count is on its way", () => {
    for (const load of [5, 10]) {
      const { over } = measured({ load, replica: { anticipate: false } });
      const law = 0.9 * load * ((5 + 2 * 5) / 2 / 1_000);
      expect(over.mean, `${load} times`).toBeGreaterThan(0.8 * law);
      expect(over.mean, `${load} times`).toBeLessThan(1.2 * law);
    }
  });

  it("refuse no hit of a window that is within the limit", () => {
    for (const balancing of ["even", "skewed", "sticky"] as const) {
      for (const [limit, windows] of [
        [10, 60],
        [50, 60],
        [1_000, 6],
      ] as const) {
        for (const load of [0.8, 0.95, 0.99]) {
          const policy = fixedWindow({ limit, windowMs: 1_000 });
          const { wronglyRefused } = measured({ policy, limit, windows, load, balancing });
          expect(wronglyRefused, `${limit}, ${load}, ${balancing}`).toBeLessThan(0.0005);
        }
      }
    }
  });
});
