import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bucketOracle,
  calendarOracle,
  fixedWindowOracle,
  type Oracle,
  seededRuns,
  slidingLogOracle,
  slidingWindowOracle,
} from "../src/index.ts";

const LIMIT = 5;

/** Small enough to step through millisecond by millisecond. */
const oracles: Readonly<Record<string, () => Oracle>> = {
  fixedWindow: () => fixedWindowOracle({ limit: LIMIT, windowMs: 40 }),
  "fixedWindow counting refused hits": () =>
    fixedWindowOracle({ limit: LIMIT, windowMs: 40, countRefused: true }),
  calendar: () =>
    calendarOracle({ limit: LIMIT, windowOf: (ms) => [ms - (ms % 30), ms - (ms % 30) + 30] }),
  slidingWindow: () => slidingWindowOracle({ limit: LIMIT, windowMs: 36, slots: 3 }),
  "slidingWindow of one slot": () => slidingWindowOracle({ limit: LIMIT, windowMs: 36, slots: 1 }),
  slidingLog: () => slidingLogOracle({ limit: LIMIT, windowMs: 40 }),
  bucket: () => bucketOracle({ capacity: LIMIT, perSecond: 150 }),
  "bucket in slots": () => bucketOracle({ capacity: LIMIT, perSecond: 150, slotMs: 8 }),
  "bucket that shapes": () => bucketOracle({ capacity: LIMIT, perSecond: 150, maxWaitMs: 20 }),
};

interface Call {
  readonly laterMs: number;
  readonly op: string;
  readonly cost: number;
  readonly limit: number | undefined;
}

const calls: fc.Arbitrary<Call[]> = fc.array(
  fc.record({
    laterMs: fc.nat(25),
    op: fc.constantFrom("check", "check", "check", "charge", "refund"),
    cost: fc.nat(LIMIT + 1),
    limit: fc.option(fc.nat(2 * LIMIT), { nil: undefined, freq: 4 }),
  }),
  { maxLength: 25 },
);

/** Makes the calls and returns the time after the last. */
function play(oracle: Oracle, made: readonly Call[]): number {
  const times = [0];
  for (const { laterMs, op, cost, limit } of made) {
    const nowMs = times.at(-1)! + laterMs;
    if (op === "check") oracle.check(nowMs, cost, limit);
    if (op === "charge") oracle.charge(nowMs, cost);
    if (op === "refund") oracle.refund(nowMs, times[cost % times.length]!, cost);
    times.push(nowMs);
  }
  return times.at(-1)!;
}

/** The first of 1, 2, 3 … for which something holds. */
function stepped(holds: (ms: number) => boolean): number {
  for (let ms = 1; ms < 2_000; ms++) if (holds(ms)) return ms;
  return Infinity;
}

for (const [name, create] of Object.entries(oracles)) {
  describe(`the oracle for ${name}`, () => {
    it("gives the smallest waits, as stepping through time finds them", () => {
      fc.assert(
        fc.property(calls, fc.nat(LIMIT + 1), fc.nat(2 * LIMIT), (made, cost, limit) => {
          const oracle = create();
          const nowMs = play(oracle, made);
          const verdict = oracle.peek(nowMs, cost, limit);
          const passes = (ms: number): boolean => oracle.peek(nowMs + ms, cost, limit).allowed;
          const clear = (ms: number): boolean => oracle.peek(nowMs + ms, 0).used === 0;
          expect(verdict.retryAfterMs).toBe(verdict.allowed ? 0 : stepped(passes));
          expect(verdict.resetMs).toBe(verdict.used === 0 ? 0 : stepped(clear));
        }),
        seededRuns(60),
      );
    });

    it("allows what peek predicted, and answers in whole numbers", () => {
      fc.assert(
        fc.property(calls, fc.nat(LIMIT + 1), (made, cost) => {
          const oracle = create();
          const nowMs = play(oracle, made);
          const asked = oracle.peek(nowMs, cost);
          const done = oracle.check(nowMs, cost);
          expect(done.allowed).toBe(asked.allowed);
          expect(done.waitMs).toBe(asked.waitMs);
          if (done.allowed) expect(done.used).toBe(asked.used + cost);
          if (done.allowed && done.waitMs === 0)
            expect(asked.remaining).toBeGreaterThanOrEqual(cost);
          const { used, remaining, resetMs, waitMs } = done;
          const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
          const wrong = [used, remaining, resetMs, waitMs].filter((value) => !isCount(value));
          expect(wrong).toEqual([]);
        }),
        seededRuns(100),
      );
    });

    it("is as before the hit when the hit is refunded at once", () => {
      fc.assert(
        fc.property(calls, fc.integer({ min: 1, max: LIMIT }), (made, cost) => {
          const oracle = create();
          const nowMs = play(oracle, made) + 100;
          const before = oracle.peek(nowMs, LIMIT);
          if (!oracle.check(nowMs, cost).allowed) return;
          oracle.refund(nowMs, nowMs, cost);
          expect(oracle.peek(nowMs, LIMIT)).toEqual(before);
        }),
        seededRuns(60),
      );
    });
  });
}
