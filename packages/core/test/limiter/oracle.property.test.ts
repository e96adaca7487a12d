import {
  bucketOracle,
  concurrencyOracle,
  fixedWindowOracle,
  type Oracle,
  seededRuns,
  slidingLogOracle,
  slidingWindowOracle,
} from "@tidegate/testkit";
import fc from "fast-check";
import { describe, it } from "vitest";
import {
  concurrency,
  createLimiter,
  type Decision,
  fixedWindow,
  leakyBucket,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";
import { expectSame } from "../quick-expectation.ts";

interface Step {
  readonly op: "check" | "peek" | "charge" | "refund";
  readonly advanceMs: number;
  readonly cost: number;
  readonly limit: number | undefined;
}

const LIMIT = 6;
const WINDOW_MS = 60;

const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom("check", "check", "check", "check", "peek", "charge", "refund"),
  advanceMs: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 25 }),
    fc.integer({ min: 0, max: 150 }),
  ),
  cost: fc.oneof(fc.constant(1), fc.integer({ min: 0, max: 8 })),
  limit: fc.option(fc.integer({ min: 0, max: 12 }), { nil: undefined, freq: 8 }),
});

const numbers = ["allowed", "used", "remaining", "resetMs", "retryAfterMs", "waitMs"] as const;

function agree(policy: Policy, oracle: Oracle, steps: readonly Step[], refunds: boolean): void {
  const clock = manualClock(1_000_003);
  const limiter = createLimiter({ name: "oracle", policy, clock });
  const counted: { decision: Decision; cost: number }[] = [];
  for (const { op, advanceMs, cost, limit } of steps) {
    clock.advance(advanceMs);
    const now = clock.now();
    if (op === "refund") {
      const hit = counted.pop();
      if (hit === undefined || !refunds) continue;
      limiter.refund("key", hit.cost, hit.decision);
      oracle.refund(now, hit.decision.atMs, hit.cost);
      continue;
    }
    const options = limit === undefined || op === "charge" ? undefined : { limit };
    const decision = limiter[op]("key", cost, options);
    const expected = oracle[op](now, cost, options?.limit);
    for (const field of numbers) {
      expectSame(decision[field], expected[field], `${op} ${cost} at ${now}: ${field}`);
    }
    if (op !== "peek" && decision.allowed && cost > 0) counted.push({ decision, cost });
  }
}

const steps = fc.array(step, { maxLength: 60 });

describe("a limiter agrees with the exact reference on every answer", () => {
  const cases: { name: string; policy: Policy; oracle: () => Oracle; refunds: boolean }[] = [
    {
      name: "fixedWindow",
      policy: fixedWindow({ limit: LIMIT, windowMs: WINDOW_MS }),
      oracle: () => fixedWindowOracle({ limit: LIMIT, windowMs: WINDOW_MS }),
      refunds: true,
    },
    {
      name: "fixedWindow that counts refused hits",
      policy: fixedWindow({ limit: LIMIT, windowMs: WINDOW_MS, countRefused: true }),
      oracle: () => fixedWindowOracle({ limit: LIMIT, windowMs: WINDOW_MS, countRefused: true }),
      refunds: false,
    },
    {
      name: "slidingWindow",
      policy: slidingWindow({ limit: LIMIT, windowMs: WINDOW_MS, slots: 6 }),
      oracle: () => slidingWindowOracle({ limit: LIMIT, windowMs: WINDOW_MS, slots: 6 }),
      refunds: true,
    },
    {
      name: "slidingWindow of one slot",
      policy: slidingWindow({ limit: LIMIT, windowMs: WINDOW_MS, slots: 1 }),
      oracle: () => slidingWindowOracle({ limit: LIMIT, windowMs: WINDOW_MS, slots: 1 }),
      refunds: true,
    },
    {
      name: "slidingLog",
      policy: slidingLog({ limit: LIMIT, windowMs: WINDOW_MS }),
      oracle: () => slidingLogOracle({ limit: LIMIT, windowMs: WINDOW_MS }),
      refunds: true,
    },
    {
      name: "tokenBucket",
      policy: tokenBucket({ capacity: LIMIT, refillPerSecond: 70 }),
      oracle: () => bucketOracle({ capacity: LIMIT, perSecond: 70 }),
      refunds: false,
    },
    {
      name: "leakyBucket that shapes",
      policy: leakyBucket({ capacity: LIMIT, leakPerSecond: 70, maxWaitMs: 40 }),
      oracle: () => bucketOracle({ capacity: LIMIT, perSecond: 70, maxWaitMs: 40 }),
      refunds: false,
    },
    {
      name: "concurrency",
      policy: concurrency({ limit: LIMIT }),
      oracle: () => concurrencyOracle({ limit: LIMIT }),
      refunds: false,
    },
  ];
  for (const { name, policy, oracle, refunds } of cases) {
    it(name, () => {
      fc.assert(
        fc.property(steps, (history) => agree(policy, oracle(), history, refunds)),
        seededRuns(300),
      );
    });
  }
});
