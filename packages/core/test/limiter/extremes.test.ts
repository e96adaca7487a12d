import { describe, expect, it } from "vitest";
import {
  createLimiter,
  fixedWindow,
  MINUTE,
  type Policy,
  SECOND,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";

const HUGE = Number.MAX_SAFE_INTEGER;

const POLICIES: readonly Policy[] = [
  fixedWindow({ limit: 3, windowMs: MINUTE }),
  fixedWindow({ limit: 3, windowMs: MINUTE, align: true, name: "aligned" }),
  slidingWindow({ limit: 3, windowMs: MINUTE }),
  slidingLog({ limit: 3, windowMs: MINUTE }),
  tokenBucket({ capacity: 3, refillPerSecond: 1 }),
];

describe.each(POLICIES)("with $name", (policy) => {
  it("charges beyond what can be counted stop there and keep refusing", () => {
    const clock = manualClock(1_000_000);
    const limiter = createLimiter({ name: "extremes", policy, clock });
    for (let charge = 0; charge < 3; charge++) limiter.charge("ada", HUGE);
    const { allowed, remaining, used } = limiter.check("ada");
    expect({ allowed, remaining }).toEqual({ allowed: false, remaining: 0 });
    expect(used).toBeGreaterThan(3);
    expect(limiter.check("bob").allowed).toBe(true);
  });

  it("a limit holds at the last instant of any clock, and after a reading beyond it", () => {
    const last = Date.UTC(10_000, 0, 1) - 2 * MINUTE;
    for (const startMs of [2 ** 32 - 5, 2 ** 47, last]) {
      const clock = manualClock(startMs);
      const limiter = createLimiter({ name: "extremes", policy, clock });
      limiter.check("ada");
      clock.set(1e300);
      limiter.check("ada");
      clock.set(startMs + 1);
      const answers = [1, 2, 3].map(() => limiter.check("ada").allowed);
      expect(answers, `from ${startMs}`).toEqual([true, false, false]);
    }
  });

  it("a reset lifts what was blocked in the same millisecond as an unblock", () => {
    const limiter = createLimiter({ name: "extremes", policy, clock: manualClock(1_000_000) });
    limiter.unblock("ada");
    limiter.block("ada", SECOND);
    limiter.reset("ada");
    expect(limiter.check("ada").allowed).toBe(true);
    limiter.unblock("ada");
    limiter.block("ada", SECOND);
    limiter.resetAll();
    expect(limiter.check("ada").allowed).toBe(true);
  });
});

describe("a limit given with a call", () => {
  it("stays within what the policy can keep", () => {
    const clock = manualClock();
    const log = createLimiter({
      name: "log",
      policy: slidingLog({ limit: 3, windowMs: 1 }),
      clock,
    });
    expect(() => log.check("ada", 1, { limit: 1_000_001 })).toThrow("from 0 to 1000000");
    const policy = tokenBucket({ capacity: 3, refillPerSecond: 1 });
    const bucket = createLimiter({ name: "bucket", policy, clock });
    expect(() => bucket.check("ada", 1, { limit: HUGE })).toThrow("from 0 to 9007199254740");
  });
});
