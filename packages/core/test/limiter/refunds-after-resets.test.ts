import { describe, expect, it } from "vitest";
import {
  createLimiter,
  type Decision,
  fixedWindow,
  MINUTE,
  type Policy,
  SECOND,
  slidingLog,
  slidingWindow,
} from "../../src/index.ts";
import { type ManualClock, manualClock } from "../../src/testing.ts";

const policies: Policy[] = [
  fixedWindow({ limit: 9, windowMs: MINUTE }),
  fixedWindow({ name: "aligned", limit: 9, windowMs: MINUTE, align: true }),
  fixedWindow({ name: "calendar", limit: 9, calendar: "day" }),
  slidingWindow({ limit: 9, windowMs: MINUTE }),
  slidingLog({ limit: 9, windowMs: MINUTE }),
];

function limiterOf(policy: Policy): {
  limiter: ReturnType<typeof createLimiter>;
  clock: ManualClock;
} {
  const clock = manualClock(1_700_000_000_000);
  return { limiter: createLimiter({ name: "reset", policy, clock, maxKeys: 50 }), clock };
}

describe.each(policies)("a refund under $name", (policy) => {
  const ends = [
    {
      reset: "reset(key)",
      end: (limiter: ReturnType<typeof createLimiter>) => limiter.reset("ada"),
    },
    { reset: "resetAll()", end: (limiter: ReturnType<typeof createLimiter>) => limiter.resetAll() },
  ];

  it.each(ends)("of a hit from before $reset refunds nothing, at any time", ({ end }) => {
    for (const gapMs of [0, 1, 2, 3, 8, 16, 1_000, 1_024, 4_096]) {
      for (const isSwept of [false, true]) {
        const { limiter, clock } = limiterOf(policy);
        const first = limiter.check("ada");
        end(limiter);
        const before = limiter.check("ada");
        clock.advance(gapMs);
        end(limiter);
        // Adding keys sweeps some others: one that counts nothing any more is freed.
        if (isSwept) for (let key = 0; key < 20; key++) limiter.check(`key ${key}`);
        limiter.check("ada");
        for (const decision of [first, before]) limiter.refund("ada", 1, decision);
        expect([limiter.peek("ada", 0).used, limiter.status().ignoredRefunds]).toEqual([1, 2]);
      }
    }
  });

  it.each([
    ...ends,
    {
      reset: "both in turn",
      end: (limiter: ReturnType<typeof createLimiter>, turn: number) =>
        turn % 2 === 0 ? limiter.reset("ada") : limiter.resetAll(),
    },
  ])("of a hit from before any number of resets by $reset refunds nothing", ({ end }) => {
    const { limiter } = limiterOf(policy);
    const before: Decision[] = [];
    for (let turn = 0; turn < 800; turn++) {
      before.push(limiter.check("ada"));
      end(limiter, turn);
    }
    const last = limiter.check("ada");
    for (const decision of before) limiter.refund("ada", 1, decision);
    expect([limiter.peek("ada", 0).used, limiter.status().ignoredRefunds]).toEqual([1, 800]);
    limiter.refund("ada", 1, last);
    expect(limiter.peek("ada", 0).used).toBe(0);
  });

  it("refunds a hit after the reset has long been forgotten", () => {
    const { limiter, clock } = limiterOf(policy);
    limiter.reset("ada");
    for (let second = 0; second < 400; second++) {
      const decision = limiter.check("ada");
      clock.advance(500);
      limiter.check(`another client ${second}`);
      limiter.refund("ada", 1, decision);
      expect([second, limiter.peek("ada", 0).used]).toEqual([second, 0]);
      clock.advance(SECOND - 500);
    }
  });
});
