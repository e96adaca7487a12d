import { describe, expect, it } from "vitest";
import { createLimiter, tokenBucket } from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";

const CASES = [
  { bucket: { capacity: 1_000, refillPerSecond: 0.7 }, cost: 70 },
  { bucket: { capacity: 100, refillPerSecond: 3.3 }, cost: 99 },
  { bucket: { capacity: 10, refillPerSecond: 1 / 60 }, cost: 1 },
  { bucket: { capacity: 9_007_199_254, refillPerSecond: 1e6 / 3 }, cost: 9_000_000 },
];

describe("a bucket that is peeked at every millisecond", () => {
  it.each(CASES)(
    "passes a hit at the promised millisecond and not before: $bucket.refillPerSecond per second",
    ({ bucket, cost }) => {
      const clock = manualClock(1_000_000);
      const limiter = createLimiter({ name: "polled", policy: tokenBucket(bucket), clock });
      limiter.check("ada", bucket.capacity);
      const { retryAfterMs } = limiter.check("ada", cost);
      expect(retryAfterMs).toBeGreaterThan(1_000);
      for (let ms = 1; ms < retryAfterMs; ms++) {
        clock.advance(1);
        if (limiter.peek("ada", cost).allowed) expect.fail(`passed after ${ms} ms`);
      }
      clock.advance(1);
      expect(limiter.check("ada", cost).allowed).toBe(true);
    },
  );
});
