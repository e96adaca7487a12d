import { describe, expect, it } from "vitest";
import {
  concurrency,
  createLimiter,
  fixedWindow,
  HOUR,
  type Limiter,
  leakyBucket,
  MINUTE,
  type Policy,
  SECOND,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import { type ManualClock, manualClock } from "../../src/testing.ts";

const POLICIES: readonly Policy[] = [
  fixedWindow({ limit: 3, windowMs: MINUTE }),
  fixedWindow({ limit: 3, windowMs: MINUTE, align: true, name: "aligned" }),
  fixedWindow({ limit: 3, calendar: "year", name: "calendar" }),
  slidingWindow({ limit: 3, windowMs: MINUTE }),
  slidingLog({ limit: 3, windowMs: MINUTE }),
  tokenBucket({ capacity: 3, refillPerSecond: 1 }),
  leakyBucket({ capacity: 3, leakPerSecond: 1 }),
];

function limiterWith(...policies: readonly Policy[]): { limiter: Limiter; clock: ManualClock } {
  const clock = manualClock(1_000_000);
  return { limiter: createLimiter({ name: "blocks", policies, clock }), clock };
}

describe.each(POLICIES)("with $name", (policy) => {
  it("a block refuses checks and peeks until it ends, and counts nothing", () => {
    const { limiter, clock } = limiterWith(policy);
    limiter.block("ada", 10 * SECOND);
    for (const ask of ["check", "peek"] as const) {
      expect(limiter[ask]("ada")).toMatchObject({
        allowed: false,
        reason: "block",
        remaining: 0,
        retryAfterMs: 10 * SECOND,
      });
    }
    clock.advance(10 * SECOND);
    expect(limiter.check("ada")).toMatchObject({ allowed: true, used: 1 });
  });

  it("a block holds whatever limit a call brings, and a charge is counted all the same", () => {
    const { limiter } = limiterWith(policy);
    limiter.block("ada", SECOND);
    expect(limiter.check("ada", 1, { limit: 100 }).allowed).toBe(false);
    expect(limiter.charge("ada", 2)).toMatchObject({ allowed: true, used: 2 });
  });

  it("of two blocks the later end holds", () => {
    const { limiter } = limiterWith(policy);
    limiter.block("ada", MINUTE);
    limiter.block("ada", SECOND);
    expect(limiter.check("ada").retryAfterMs).toBe(MINUTE);
  });

  it("an unblock lifts a block and leaves the hits", () => {
    const { limiter } = limiterWith(policy);
    limiter.check("ada", 2);
    limiter.block("ada", HOUR);
    limiter.unblock("ada");
    expect(limiter.check("ada")).toMatchObject({ allowed: true, used: 3 });
    expect(limiter.check("ada").allowed).toBe(false);
  });

  it("a reset forgets the hits and lifts a block", () => {
    const { limiter } = limiterWith(policy);
    limiter.check("ada", 3);
    limiter.block("ada", HOUR);
    limiter.reset("ada");
    expect(limiter.check("ada")).toMatchObject({ allowed: true, used: 1 });
  });

  it("a reset of one key leaves the others", () => {
    const { limiter } = limiterWith(policy);
    limiter.check("ada", 3);
    limiter.check("grace", 2);
    limiter.reset("ada");
    limiter.reset("nobody");
    expect(limiter.peek("grace").used).toBe(2);
  });

  it("a reset of all keys does for each what a reset does", () => {
    const { limiter } = limiterWith(policy);
    for (const key of ["ada", "grace"]) {
      limiter.check(key, 3);
      limiter.block(key, HOUR);
    }
    limiter.resetAll();
    for (const key of ["ada", "grace"]) {
      expect(limiter.check(key)).toMatchObject({ allowed: true, used: 1 });
    }
  });

  it("hits after a reset count, and a second reset in the same millisecond forgets them", () => {
    const { limiter } = limiterWith(policy);
    for (const reset of [() => limiter.reset("ada"), () => limiter.resetAll()]) {
      limiter.check("ada", 3);
      reset();
      expect(limiter.check("ada", 2).used).toBe(2);
      reset();
      expect(limiter.peek("ada").used).toBe(0);
    }
  });
});

describe("permits", () => {
  it("stay held through a reset, and a block refuses further ones", () => {
    const { limiter } = limiterWith(concurrency({ limit: 2 }));
    limiter.check("ada");
    limiter.reset("ada");
    limiter.resetAll();
    expect(limiter.peek("ada").used).toBe(1);
    limiter.block("ada", SECOND);
    expect(limiter.check("ada")).toMatchObject({ reason: "block", retryAfterMs: SECOND });
  });
});

describe("inspect", () => {
  it("shows what refuses a key, and for how long, and changes nothing", () => {
    const { limiter, clock } = limiterWith(
      fixedWindow({ limit: 2, windowMs: MINUTE, backoff: true }),
    );
    limiter.check("ada", 2);
    limiter.check("ada");
    limiter.block("ada", 5 * SECOND);
    clock.advance(SECOND);
    const expected = {
      known: true,
      results: [
        {
          policy: "fixedWindow",
          allowed: false,
          limit: 2,
          used: 2,
          remaining: 0,
          resetMs: 59 * SECOND,
          retryAfterMs: 59 * SECOND,
          waitMs: 0,
        },
      ],
      marks: [
        { kind: "block", remainingMs: 4 * SECOND },
        { kind: "penalty", remainingMs: 59 * SECOND },
      ],
    };
    expect(limiter.inspect("ada")).toEqual(expected);
    expect(limiter.inspect("ada")).toEqual(expected);
  });

  it("shows an unknown key as unknown, and stores nothing for it", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 2, windowMs: MINUTE }));
    expect(limiter.inspect("ada")).toMatchObject({ known: false, marks: [] });
    expect(limiter.status().keys).toBe(0);
  });
});
