import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createLimiter,
  fixedWindow,
  type Limiter,
  leakyBucket,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import { type ManualClock, manualClock } from "../../src/testing.ts";
import { expectAtMost, expectSame } from "../quick-expectation.ts";

const LIMIT = 5;
const WINDOW_MS = 60;
const fixed = { limit: LIMIT, windowMs: WINDOW_MS };

const LIMITERS: Readonly<Record<string, readonly Policy[]>> = {
  "a fixed window": [fixedWindow(fixed)],
  "an aligned window": [fixedWindow({ ...fixed, align: true })],
  "a calendar window": [fixedWindow({ limit: LIMIT, calendar: "minute" })],
  "a fixed window that restarts": [fixedWindow({ ...fixed, restart: true })],
  "a fixed window that backs off": [fixedWindow({ ...fixed, backoff: { factor: 1.5 } })],
  "a fixed window that bans": [fixedWindow({ ...fixed, ban: { after: 2, forMs: 200 } })],
  "a fixed window that drains": [fixedWindow({ ...fixed, drain: true })],
  "a fixed window that counts refused hits": [fixedWindow({ ...fixed, countRefused: true })],
  "a sliding window": [slidingWindow({ ...fixed, slots: 6 })],
  "a sliding window that counts refused hits": [
    slidingWindow({ ...fixed, slots: 6, countRefused: true }),
  ],
  "a sliding log": [slidingLog(fixed)],
  "a token bucket": [tokenBucket({ capacity: LIMIT, refillPerSecond: 70 })],
  "a leaky bucket": [leakyBucket({ capacity: LIMIT, leakPerSecond: 70, maxWaitMs: 30 })],
  "three policies": [
    slidingWindow({ ...fixed, slots: 6 }),
    tokenBucket({ capacity: LIMIT, refillPerSecond: 70 }),
    fixedWindow({ ...fixed, windowMs: 4 * WINDOW_MS, limit: 2 * LIMIT, drain: true }),
  ],
};

interface Step {
  readonly op: "check" | "charge" | "refund" | "block" | "unblock" | "reset" | "resetAll";
  readonly advanceMs: number;
  readonly cost: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  op: fc.oneof(
    { weight: 12, arbitrary: fc.constant("check" as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("charge", "refund", "block", "unblock", "reset", "resetAll"),
    },
  ),
  // A reset in the millisecond of another mark is left to the tests of the store.
  advanceMs: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 150 })),
  cost: fc.integer({ min: 0, max: LIMIT }),
});

function waitsAreTheSmallest(policies: readonly Policy[], steps: readonly Step[]): void {
  const clock = manualClock(1_000_003);
  const limiter = createLimiter({ name: "waits", policies, clock });
  let latest = limiter.check("key");
  for (const { op, advanceMs, cost } of steps) {
    clock.advance(advanceMs);
    if (op === "refund") limiter.refund("key", cost, latest);
    else if (op === "block") limiter.block("key", 40);
    else if (op === "unblock") limiter.unblock("key");
    else if (op === "reset") limiter.reset("key");
    else if (op === "resetAll") limiter.resetAll();
    else latest = limiter[op]("key", cost);
    holdsFor(limiter, clock, cost);
  }
  limiter.close();
}

/** Lets the wait pass, and sees that the last millisecond of it is the one that matters. */
function holdsFor(limiter: Limiter, clock: ManualClock, cost: number): void {
  const { allowed, retryAfterMs, resetMs, remaining } = limiter.peek("key", cost);
  expectSame(retryAfterMs === 0, allowed);
  if (allowed) {
    expectSame(limiter.peek("key", remaining).allowed, true);
    return;
  }
  expectSame(Number.isInteger(retryAfterMs), true);
  expectAtMost(retryAfterMs, resetMs);
  clock.advance(retryAfterMs - 1);
  expect(limiter.peek("key", cost)).toMatchObject({ allowed: false, retryAfterMs: 1 });
  clock.advance(1);
  expect(limiter.peek("key", cost)).toMatchObject({ allowed: true });
}

describe("retryAfterMs is the smallest wait after which the same check passes", () => {
  for (const [name, policies] of Object.entries(LIMITERS)) {
    it(`with ${name}`, () => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 40 }), (steps) =>
          waitsAreTheSmallest(policies, steps),
        ),
        seededRuns(150),
      );
    });
  }
});
