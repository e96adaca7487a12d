/**
 * What the functional scenarios of Gubernator, an older rate limiter for clusters, ask of a limiter on
 * one replica. Each title begins with the name that the scenario has there; figures are our own.
 */

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it } from "vitest";
import {
  CHANNELS,
  createLimiter,
  DAY,
  type DecisionEvent,
  fixedWindow,
  HOUR,
  type Limiter,
  leakyBucket,
  MINUTE,
  type Policy,
  SECOND,
} from "../../src/index.ts";
import { type ManualClock, manualClock } from "../../src/testing.ts";

const NOON_MS = Date.UTC(2027, 2, 10, 12);

function limiterWith(policy: Policy): { limiter: Limiter; clock: ManualClock } {
  const clock = manualClock(NOON_MS);
  const limiter = createLimiter({
    name: "scenario",
    policy,
    clock: { now: clock.now, wall: clock.now },
  });
  return { limiter, clock };
}

/** Whether each of some hits passes, and what remains after it. */
function outcomes(limiter: Limiter, costs: readonly number[]): [boolean, number][] {
  return costs.map((cost) => {
    const { allowed, remaining } = limiter.check("account", cost);
    return [allowed, remaining];
  });
}

describe("a window", () => {
  it("OverTheLimit: lets as many pass as its limit, and says that nothing remains", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 2, windowMs: 9 * SECOND }));
    expect(outcomes(limiter, [1, 1, 1, 1])).toEqual([
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
    ]);
  });

  it("MultipleAsync: counts each key by itself, however their hits mix", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 100, windowMs: 10 * SECOND }));
    for (let hit = 0; hit < 30; hit++) for (let key = 0; key < 5; key++) limiter.check(`k${key}`);
    const remaining = [0, 1, 2, 3, 4].map((key) => limiter.peek(`k${key}`).remaining);
    expect(remaining).toEqual([70, 70, 70, 70, 70]);
  });

  it("TokenBucket: is full again when it has ended, and says when that is", () => {
    const { limiter, clock } = limiterWith(fixedWindow({ limit: 2, windowMs: 50 }));
    expect(limiter.check("account")).toMatchObject({ remaining: 1, resetMs: 50 });
    clock.advance(20);
    expect(limiter.check("account")).toMatchObject({ remaining: 0, resetMs: 30 });
    clock.advance(29);
    expect(limiter.check("account").allowed).toBe(false);
    clock.advance(1);
    expect(limiter.check("account")).toMatchObject({ allowed: true, remaining: 1, resetMs: 50 });
  });

  it("TokenBucketNegativeHits: has room again for what is given back, and never for more", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 10, windowMs: MINUTE }));
    const first = limiter.check("account", 3);
    limiter.check("account", 5);
    limiter.refund("account", 2, first);
    expect(limiter.peek("account").remaining).toBe(4);
    limiter.refund("account", 100, first);
    expect(limiter.peek("account").remaining).toBeLessThanOrEqual(10);
    expect(limiter.status().ignoredRefunds).toBeGreaterThan(0);
  });

  it("DrainOverLimit: is empty after a hit that it refused, if it drains", () => {
    const { limiter, clock } = limiterWith(
      fixedWindow({ limit: 10, windowMs: MINUTE, drain: true }),
    );
    expect(outcomes(limiter, [1, 10, 1])).toEqual([
      [true, 9],
      [false, 0],
      [false, 0],
    ]);
    expect(limiter.check("account").reason).toBe("drain");
    clock.advance(MINUTE);
    expect(limiter.check("account")).toMatchObject({ allowed: true, remaining: 9 });
  });

  it("TokenBucketRequestMoreThanAvailable: loses nothing to a hit that does not fit", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 2_000, windowMs: SECOND }));
    expect(outcomes(limiter, [1_000, 1_500, 500, 400, 100, 1])).toEqual([
      [true, 1_000],
      [false, 1_000],
      [true, 500],
      [true, 100],
      [true, 0],
      [false, 0],
    ]);
  });

  it("ChangeLimit: keeps what was counted when its limit changes, either way", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 100, windowMs: MINUTE }));
    const remaining = [100, 100, 10, 10, 200].map(
      (limit) => limiter.check("account", 1, { limit }).remaining,
    );
    expect(remaining).toEqual([99, 98, 7, 6, 195]);
    expect(limiter.check("account", 1, { limit: 5 })).toMatchObject({ allowed: false, used: 5 });
  });

  it("ResetRemaining: is full again at once when it is reset", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 100, windowMs: MINUTE }));
    expect(outcomes(limiter, [1, 1])).toEqual([
      [true, 99],
      [true, 98],
    ]);
    limiter.reset("account");
    expect(limiter.peek("account").remaining).toBe(100);
    expect(outcomes(limiter, [1])).toEqual([[true, 99]]);
  });

  it("EventChannel: publishes every hit that it counted or refused", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 2, windowMs: MINUTE }));
    const told: [unknown, number, boolean][] = [];
    const listen = (event: unknown): void => {
      const { key, cost, decision } = event as DecisionEvent;
      told.push([key, cost, decision.allowed]);
    };
    subscribe(CHANNELS.decision, listen);
    outcomes(limiter, [2, 1]);
    limiter.peek("account");
    unsubscribe(CHANNELS.decision, listen);
    expect(told).toEqual([
      ["account", 2, true],
      ["account", 1, false],
    ]);
  });
});

describe("a window of the calendar", () => {
  const cases = [
    ["TokenBucketGregorian", "minute", MINUTE],
    ["hours", "hour", HOUR],
    ["days", "day", 12 * HOUR],
    // The tenth of March 2027 is a Wednesday.
    ["weeks", "week", 4 * DAY + 12 * HOUR],
    ["months", "month", 21 * DAY + 12 * HOUR],
    ["years", "year", 296 * DAY + 12 * HOUR],
  ] as const;

  it.each(cases)("%s: holds a quota for the %s and is full in the next", (_, unit, leftMs) => {
    const { limiter, clock } = limiterWith(fixedWindow({ limit: 60, calendar: unit }));
    expect(limiter.check("account")).toMatchObject({ remaining: 59, resetMs: leftMs });
    clock.advance(leftMs - 1);
    expect(outcomes(limiter, [1, 58, 1])).toEqual([
      [true, 58],
      [true, 0],
      [false, 0],
    ]);
    clock.advance(1);
    expect(outcomes(limiter, [1])).toEqual([[true, 59]]);
  });
});

describe("a leaky bucket", () => {
  it("LeakyBucket: has room for one more each time one has leaked", () => {
    const { limiter, clock } = limiterWith(leakyBucket({ capacity: 10, leakPerSecond: 10 / 30 }));
    expect(outcomes(limiter, [5])).toEqual([[true, 5]]);
    expect(outcomes(limiter, [5, 1])).toEqual([
      [true, 0],
      [false, 0],
    ]);
    expect(limiter.peek("account").retryAfterMs).toBe(3 * SECOND);
    clock.advance(3 * SECOND);
    expect(outcomes(limiter, [1, 1])).toEqual([
      [true, 0],
      [false, 0],
    ]);
    clock.advance(9 * SECOND);
    expect(limiter.peek("account").remaining).toBe(3);
    clock.advance(HOUR);
    expect(limiter.peek("account").remaining).toBe(10);
  });

  it("LeakyBucketWithBurst: takes a burst larger than what leaks in the time of the limit", () => {
    const { limiter, clock } = limiterWith(leakyBucket({ capacity: 20, leakPerSecond: 10 / 30 }));
    expect(outcomes(limiter, [20, 1])).toEqual([
      [true, 0],
      [false, 0],
    ]);
    clock.advance(30 * SECOND);
    expect(outcomes(limiter, [10, 1])).toEqual([
      [true, 0],
      [false, 0],
    ]);
  });

  it("LeakyBucketGregorian: leaks a minute's limit in a minute", () => {
    const { limiter, clock } = limiterWith(leakyBucket({ capacity: 60, leakPerSecond: 1 }));
    expect(outcomes(limiter, [1, 1])).toEqual([
      [true, 59],
      [true, 58],
    ]);
    clock.advance(SECOND);
    expect(outcomes(limiter, [1])).toEqual([[true, 58]]);
    clock.advance(MINUTE);
    expect(limiter.peek("account").remaining).toBe(60);
  });

  it("LeakyBucketNegativeHits: has room again for what is given back", () => {
    const { limiter } = limiterWith(leakyBucket({ capacity: 10, leakPerSecond: 1 }));
    const first = limiter.check("account", 4);
    limiter.check("account", 4);
    limiter.refund("account", 3, first);
    expect(limiter.peek("account").remaining).toBe(5);
    limiter.refund("account", 100, first);
    expect(limiter.peek("account").remaining).toBeLessThanOrEqual(10);
  });

  it("LeakyBucketRequestMoreThanAvailable: loses nothing to a hit that does not fit", () => {
    const { limiter } = limiterWith(leakyBucket({ capacity: 2_000, leakPerSecond: 2 }));
    expect(outcomes(limiter, [1_000, 1_500, 500, 400, 100, 1])).toEqual([
      [true, 1_000],
      [false, 1_000],
      [true, 500],
      [true, 100],
      [true, 0],
      [false, 0],
    ]);
  });

  it("LeakyBucketDivBug: keeps fractions, so a large and a slow bucket are both exact", () => {
    const large = limiterWith(leakyBucket({ capacity: 2_000, leakPerSecond: 2_000 }));
    expect(outcomes(large.limiter, [1, 100])).toEqual([
      [true, 1_999],
      [true, 1_899],
    ]);
    const slow = limiterWith(leakyBucket({ capacity: 1, leakPerSecond: SECOND / DAY }));
    expect(slow.limiter.check("account").allowed).toBe(true);
    expect(slow.limiter.check("account").retryAfterMs).toBe(DAY);
  });

  it("ChangeLimit: keeps what was counted when its limit changes, either way", () => {
    const { limiter } = limiterWith(leakyBucket({ capacity: 100, leakPerSecond: 1 }));
    const remaining = [100, 100, 10, 10, 200].map(
      (limit) => limiter.check("account", 1, { limit }).remaining,
    );
    expect(remaining).toEqual([99, 98, 7, 6, 195]);
  });
});

describe("what is missing", () => {
  it("MissingFields: is said where it is written, and a limit of 0 refuses everything", () => {
    expect(() => fixedWindow({ limit: 10 })).toThrow(/'windowMs'/);
    expect(() => fixedWindow({ windowMs: SECOND } as never)).toThrow(/'limit'/);
    expect(() =>
      createLimiter({ policy: fixedWindow({ limit: 1, windowMs: 1 }) } as never),
    ).toThrow(/'name'/);
    const { limiter } = limiterWith(fixedWindow({ limit: 0, windowMs: 10 * SECOND }));
    expect(outcomes(limiter, [1])).toEqual([[false, 0]]);
    expect(() => limiter.check(undefined as never)).toThrow(/key/);
  });
});
