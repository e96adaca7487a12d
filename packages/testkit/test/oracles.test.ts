import { describe, expect, it } from "vitest";
import {
  bucketOracle,
  calendarOracle,
  concurrencyOracle,
  fixedWindowOracle,
  slidingLogOracle,
  slidingWindowOracle,
} from "../src/index.ts";

describe("every oracle", () => {
  const oracles = {
    fixedWindow: () => fixedWindowOracle({ limit: 10, windowMs: 1_000 }),
    calendar: () => calendarOracle({ limit: 10, windowOf: () => [0, 1_000] }),
    slidingWindow: () => slidingWindowOracle({ limit: 10, windowMs: 1_000, slots: 4 }),
    slidingLog: () => slidingLogOracle({ limit: 10, windowMs: 1_000 }),
    bucket: () => bucketOracle({ capacity: 10, perSecond: 10 }),
    concurrency: () => concurrencyOracle({ limit: 10 }),
  };

  for (const [name, create] of Object.entries(oracles)) {
    describe(name, () => {
      it("starts with the whole limit", () => {
        expect(create().peek(0, 1)).toEqual({
          allowed: true,
          used: 0,
          remaining: 10,
          resetMs: 0,
          retryAfterMs: 0,
          waitMs: 0,
        });
      });

      it("counts nothing on a peek and nothing on a refusal", () => {
        const oracle = create();
        oracle.check(0, 7);
        expect(oracle.peek(0, 3).allowed).toBe(true);
        expect(oracle.peek(0, 4)).toMatchObject({ allowed: false, used: 7, remaining: 3 });
        expect(oracle.check(0, 4)).toMatchObject({ allowed: false, used: 7, remaining: 3 });
        expect(oracle.check(0, 3)).toMatchObject({ allowed: true, used: 10, remaining: 0 });
      });

      it("says that a cost above the limit never passes, and leaves no mark", () => {
        const oracle = create();
        expect(oracle.check(0, 11)).toMatchObject({
          allowed: false,
          used: 0,
          resetMs: 0,
          retryAfterMs: Infinity,
        });
      });

      it("lets a cost of zero pass under a limit of zero, and nothing else", () => {
        const oracle = create();
        expect(oracle.check(0, 0, 0)).toMatchObject({ allowed: true, used: 0, remaining: 0 });
        expect(oracle.check(0, 1, 0)).toMatchObject({ allowed: false, retryAfterMs: Infinity });
      });

      it("takes the limit of the call", () => {
        const oracle = create();
        oracle.check(0, 8);
        expect(oracle.peek(0, 1, 8)).toMatchObject({ allowed: false, remaining: 0 });
        expect(oracle.peek(0, 1, 20)).toMatchObject({ allowed: true, remaining: 12 });
      });

      it("charges beyond the limit", () => {
        const oracle = create();
        expect(oracle.charge(0, 25)).toMatchObject({ allowed: true, used: 25, remaining: 0 });
        expect(oracle.check(0, 0)).toMatchObject({ allowed: false, used: 25, remaining: 0 });
      });
    });
  }
});

describe("fixedWindowOracle", () => {
  it("opens no window for a hit without cost or for a refused one", () => {
    const oracle = fixedWindowOracle({ limit: 5, windowMs: 1_000, countRefused: true });
    oracle.check(0, 0);
    oracle.charge(10, 0);
    oracle.check(100, 6);
    oracle.check(400, 5);
    expect(oracle.peek(500, 1)).toMatchObject({ used: 5, retryAfterMs: 900, resetMs: 900 });
    expect(oracle.peek(1_399, 1)).toMatchObject({ allowed: false, retryAfterMs: 1 });
    expect(oracle.peek(1_400, 1)).toMatchObject({ allowed: true, used: 0 });
  });

  it("counts refused hits like others in an open window, if configured", () => {
    const oracle = fixedWindowOracle({ limit: 5, windowMs: 1_000, countRefused: true });
    oracle.check(0, 4);
    expect(oracle.check(10, 3)).toMatchObject({ allowed: false, used: 7, remaining: 0 });
    expect(oracle.check(20, 1)).toMatchObject({ allowed: false, used: 8, retryAfterMs: 980 });
    expect(oracle.check(30, 6)).toMatchObject({ used: 14, retryAfterMs: Infinity });
    expect(oracle.check(1_000, 1)).toMatchObject({ allowed: true, used: 1, remaining: 4 });
  });

  it("opens with a charge, also one beyond the limit", () => {
    const oracle = fixedWindowOracle({ limit: 5, windowMs: 1_000 });
    expect(oracle.charge(300, 9)).toMatchObject({ used: 9, remaining: 0, resetMs: 1_000 });
    expect(oracle.check(1_299, 1).allowed).toBe(false);
    expect(oracle.check(1_300, 1)).toMatchObject({ allowed: true, used: 1 });
  });

  it("refunds into the same window and never moves it", () => {
    const oracle = fixedWindowOracle({ limit: 5, windowMs: 1_000 });
    oracle.check(0, 2);
    oracle.check(600, 3);
    oracle.refund(700, 0, 9);
    oracle.refund(700, 5, 1);
    expect(oracle.peek(700, 3)).toMatchObject({ allowed: false, used: 3, resetMs: 300 });
    expect(oracle.peek(1_000, 5)).toMatchObject({ allowed: true, used: 0 });
    oracle.check(1_000, 4);
    oracle.refund(1_100, 600, 3);
    expect(oracle.peek(1_100, 1)).toMatchObject({ used: 4 });
  });

  it("refunds nothing for a refused hit", () => {
    const oracle = fixedWindowOracle({ limit: 5, windowMs: 1_000, countRefused: true });
    oracle.check(0, 5);
    oracle.check(10, 2);
    oracle.refund(20, 10, 2);
    expect(oracle.peek(20, 1).used).toBe(7);
  });
});

describe("slidingWindowOracle", () => {
  it("takes slots only if they divide the window", () => {
    expect(() => slidingWindowOracle({ limit: 1, windowMs: 100, slots: 3 })).toThrow(RangeError);
  });

  it("compares exactly where a floating sum would not", () => {
    const oracle = slidingWindowOracle({ limit: 3, windowMs: 9, slots: 3 });
    oracle.check(0, 3);
    expect(oracle.peek(10, 1), "3 x 2/3 = 2").toMatchObject({ allowed: true, used: 2 });
    expect(oracle.peek(9, 1), "3 x 3/3 = 3").toMatchObject({ allowed: false, retryAfterMs: 1 });
  });

  it("refunds to the slot of the hit, also while it trails", () => {
    const oracle = slidingWindowOracle({ limit: 10, windowMs: 100, slots: 2 });
    oracle.check(10, 8);
    oracle.refund(120, 10, 4);
    expect(oracle.peek(125, 1), "4 x 1/2").toMatchObject({ used: 2, remaining: 8 });
  });
});

describe("bucketOracle", () => {
  it("drains on entering a slot and not within it", () => {
    const oracle = bucketOracle({ capacity: 10, perSecond: 10, slotMs: 100 });
    oracle.check(150, 10);
    expect(oracle.peek(199, 1)).toMatchObject({ allowed: false, used: 10, retryAfterMs: 1 });
    expect(oracle.peek(200, 1)).toMatchObject({ allowed: true, used: 9, remaining: 1 });
    expect(oracle.peek(299, 2)).toMatchObject({ allowed: false, used: 9, resetMs: 801 });
  });

  it("is exact for rates that no decimal fraction holds", () => {
    const third = bucketOracle({ capacity: 1, perSecond: 1 / 3 });
    third.check(0, 1);
    // The number nearest to a third is a little less than a third, so 3 s are not quite enough.
    expect(third.peek(0, 1).retryAfterMs).toBe(3_001);
    const eighth = bucketOracle({ capacity: 1, perSecond: 0.125 });
    eighth.check(0, 1);
    expect(eighth.peek(0, 1).retryAfterMs).toBe(8_000);
    expect(() => bucketOracle({ capacity: 1, perSecond: 0 })).toThrow(RangeError);
  });

  it("pays back a debt before anything passes", () => {
    const oracle = bucketOracle({ capacity: 5, perSecond: 1 });
    oracle.charge(0, 8);
    expect(oracle.peek(0, 1)).toMatchObject({ used: 8, remaining: 0, retryAfterMs: 4_000 });
    expect(oracle.peek(0, 1)).toMatchObject({ resetMs: 8_000 });
    expect(oracle.check(4_000, 1)).toMatchObject({ allowed: true, used: 5, remaining: 0 });
  });

  it("refunds as if the hit had not been, and no more than it still holds", () => {
    const oracle = bucketOracle({ capacity: 10, perSecond: 10 });
    oracle.check(0, 10);
    oracle.check(500, 5);
    oracle.refund(600, 0, 10);
    expect(oracle.peek(600, 1), "5 at 500 ms, 1 drained").toMatchObject({ used: 4 });
    oracle.refund(5_000, 500, 5);
    expect(oracle.peek(5_000, 1)).toMatchObject({ used: 0, remaining: 10 });
  });

  it("rounds the wait of a shaped hit up, and refuses for good what exceeds the capacity", () => {
    const oracle = bucketOracle({ capacity: 2, perSecond: 3, maxWaitMs: 1_000 });
    oracle.check(0, 2);
    expect(oracle.check(0, 1)).toMatchObject({ allowed: true, waitMs: 334 });
    expect(oracle.check(0, 3)).toMatchObject({ allowed: false, retryAfterMs: Infinity });
    expect(oracle.check(0, 2)).toMatchObject({ allowed: true, used: 5, waitMs: 1_000 });
    expect(oracle.check(0, 1)).toMatchObject({ allowed: false, retryAfterMs: 334, waitMs: 0 });
  });
});

describe("concurrencyOracle", () => {
  it("frees a place only when it is released", () => {
    const oracle = concurrencyOracle({ limit: 2 });
    oracle.check(0, 2);
    const full = { allowed: false, used: 2, retryAfterMs: Infinity, resetMs: Infinity };
    expect(oracle.check(1e9, 1)).toMatchObject(full);
    oracle.refund(1e9, 0, 2);
    expect(oracle.check(1e9, 1)).toMatchObject(full);
    oracle.release(1e9, 1);
    expect(oracle.check(1e9, 1)).toMatchObject({ allowed: true, used: 2, remaining: 0 });
  });

  it("holds nothing less than nothing", () => {
    const oracle = concurrencyOracle({ limit: 2 });
    oracle.check(0, 1);
    oracle.release(0, 5);
    expect(oracle.peek(0, 2)).toMatchObject({ allowed: true, used: 0, resetMs: 0 });
  });
});
