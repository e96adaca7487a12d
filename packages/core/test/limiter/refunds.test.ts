import { describe, expect, it } from "vitest";
import {
  concurrency,
  createLimiter,
  fixedWindow,
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

function limiterWith(...policies: readonly Policy[]): { limiter: Limiter; clock: ManualClock } {
  const clock = manualClock(1_000_000);
  return { limiter: createLimiter({ name: "refunds", policies, clock }), clock };
}

function usedBy(limiter: Limiter, key: string): readonly number[] {
  return limiter.inspect(key).results.map(({ used }) => used);
}

const COUNTING: readonly Policy[] = [
  fixedWindow({ limit: 10, windowMs: MINUTE }),
  fixedWindow({ limit: 10, windowMs: MINUTE, align: true, name: "aligned" }),
  fixedWindow({ limit: 10, calendar: "day", name: "calendar" }),
  slidingWindow({ limit: 10, windowMs: MINUTE }),
  slidingLog({ limit: 10, windowMs: MINUTE }),
  tokenBucket({ capacity: 10, refillPerSecond: 1 }),
  leakyBucket({ capacity: 10, leakPerSecond: 1 }),
];

describe("a refund", () => {
  for (const policy of COUNTING) {
    it(`gives a hit back at once to ${policy.name}`, () => {
      const { limiter } = limiterWith(policy);
      const decision = limiter.check("ada", 3);
      limiter.refund("ada", 2, decision);
      expect(usedBy(limiter, "ada")).toEqual([1]);
      expect(limiter.status().ignoredRefunds).toBe(0);
    });

    it(`gives a hit back to ${policy.name} once, however often it is asked to`, () => {
      const { limiter } = limiterWith(policy);
      const decision = limiter.check("ada", 3);
      for (let time = 0; time < 3; time++) limiter.refund("ada", 2, decision);
      expect(usedBy(limiter, "ada")).toEqual([0]);
      expect(limiter.status().ignoredRefunds).toBe(3);
    });

    it(`gives a hit back to ${policy.name} that came after a reset`, () => {
      for (const reset of ["reset", "resetAll"] as const) {
        const { limiter } = limiterWith(policy);
        limiter.check("ada");
        limiter[reset]("ada");
        limiter.refund("ada", 2, limiter.check("ada", 3));
        expect(usedBy(limiter, "ada")).toEqual([1]);
      }
    });

    it(`does nothing to ${policy.name} for a hit from before a reset`, () => {
      for (const reset of ["reset", "resetAll"] as const) {
        const { limiter, clock } = limiterWith(policy);
        const decision = limiter.check("ada", 3);
        clock.advance(1);
        limiter[reset]("ada");
        limiter.check("ada", 2);
        limiter.refund("ada", 1, decision);
        expect(usedBy(limiter, "ada")).toEqual([2]);
      }
    });

    it(`does nothing to ${policy.name} for a hit that was refused`, () => {
      const { limiter, clock } = limiterWith(policy);
      limiter.check("ada", 10);
      const refused = limiter.check("ada");
      clock.advance(1);
      const before = usedBy(limiter, "ada");
      limiter.refund("ada", 1, refused);
      expect(usedBy(limiter, "ada")).toEqual(before);
      expect(limiter.status().ignoredRefunds).toBe(1);
    });

    it(`does nothing to ${policy.name} for a hit that was only peeked at`, () => {
      const { limiter, clock } = limiterWith(policy);
      limiter.check("ada", 2);
      const peeked = limiter.peek("ada");
      clock.advance(1);
      const before = usedBy(limiter, "ada");
      limiter.refund("ada", 1, peeked);
      expect(usedBy(limiter, "ada")).toEqual(before);
    });

    it(`does nothing to ${policy.name} with the decision of another key`, () => {
      const { limiter } = limiterWith(policy);
      limiter.check("ada", 2);
      limiter.refund("ada", 1, limiter.check("grace"));
      expect(usedBy(limiter, "ada")).toEqual([2]);
      expect(limiter.status().ignoredRefunds).toBe(1);
    });

    it(`does nothing to ${policy.name} with the decision of another limiter`, () => {
      const { limiter } = limiterWith(policy);
      limiter.check("ada", 2);
      limiter.refund("ada", 1, limiterWith(policy).limiter.check("ada"));
      expect(usedBy(limiter, "ada")).toEqual([2]);
    });

    it(`is too late for ${policy.name} once nothing of the hit counts`, () => {
      const { limiter, clock } = limiterWith(policy);
      const decision = limiter.check("ada");
      clock.advance(decision.resetMs);
      limiter.check("ada", 2);
      limiter.refund("ada", 1, decision);
      expect(usedBy(limiter, "ada")).toEqual([2]);
      expect(limiter.status().ignoredRefunds).toBe(1);
    });
  }

  it("refunds no more than its window still counts, and reports the rest", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 10, windowMs: MINUTE }));
    limiter.refund("ada", 5, limiter.check("ada", 2));
    expect(usedBy(limiter, "ada")).toEqual([0]);
    expect(limiter.status().ignoredRefunds).toBe(3);
  });

  it("of cost 0 changes nothing", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 10, windowMs: MINUTE }));
    limiter.refund("ada", 0, limiter.check("ada", 2));
    expect(usedBy(limiter, "ada")).toEqual([2]);
  });

  it("refunds each policy by the hit's weight", () => {
    const { limiter } = limiterWith(
      fixedWindow({ name: "requests", limit: 10, windowMs: MINUTE }),
      fixedWindow({ name: "tokens", limit: 10_000, windowMs: MINUTE }),
    );
    limiter.check("ada", 1, { weights: { tokens: 100 } });
    const decision = limiter.check("ada", 1, { weights: { tokens: 850 } });
    expect(usedBy(limiter, "ada")).toEqual([2, 950]);
    limiter.refund("ada", 1, decision);
    expect(usedBy(limiter, "ada")).toEqual([1, 100]);
  });

  it("leaves a policy alone that the hit had weight 0 in", () => {
    const { limiter } = limiterWith(
      fixedWindow({ name: "requests", limit: 10, windowMs: MINUTE }),
      fixedWindow({ name: "tokens", limit: 10_000, windowMs: MINUTE }),
    );
    limiter.check("ada", 1, { weights: { tokens: 0 } });
    const reserved = limiter.charge("ada", 800, { weights: { requests: 0 } });
    limiter.refund("ada", 300, reserved);
    expect(usedBy(limiter, "ada")).toEqual([1, 500]);
    expect(limiter.status().ignoredRefunds).toBe(0);
  });

  it("keeps to the weight in a limiter of one policy too", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 10, windowMs: MINUTE }));
    limiter.check("ada");
    const decision = limiter.check("ada", 1, { weights: { fixedWindow: 4 } });
    limiter.refund("ada", 1, decision);
    expect(usedBy(limiter, "ada")).toEqual([1]);
  });

  it("leaves permits to a release", () => {
    const { limiter } = limiterWith(
      concurrency({ limit: 3 }),
      fixedWindow({ limit: 10, windowMs: SECOND }),
    );
    limiter.refund("ada", 1, limiter.check("ada"));
    expect(usedBy(limiter, "ada")).toEqual([1, 0]);
    limiter.release("ada");
    expect(usedBy(limiter, "ada")).toEqual([0, 0]);
  });
});

describe("a refund of a hit that was refused and counted", () => {
  const policies = [
    fixedWindow({ limit: 2, windowMs: MINUTE, countRefused: true }),
    fixedWindow({ limit: 2, windowMs: MINUTE, align: true, name: "aligned", countRefused: true }),
    slidingWindow({ limit: 2, windowMs: MINUTE, countRefused: true }),
  ];

  for (const policy of policies) {
    it(`gives it back to ${policy.name}`, () => {
      const { limiter } = limiterWith(policy);
      limiter.check("ada", 2);
      const refused = limiter.check("ada");
      expect([refused.allowed, refused.used]).toEqual([false, 3]);
      limiter.refund("ada", 1, refused);
      expect(usedBy(limiter, "ada")).toEqual([2]);
      expect(limiter.status().ignoredRefunds).toBe(0);
    });
  }

  it("leaves policies alone that did not count it", () => {
    const { limiter } = limiterWith(
      fixedWindow({ limit: 2, windowMs: MINUTE, countRefused: true }),
      slidingWindow({ limit: 10, windowMs: MINUTE, countRefused: true }),
    );
    limiter.check("ada", 2);
    limiter.refund("ada", 1, limiter.check("ada"));
    expect(usedBy(limiter, "ada")).toEqual([2, 2]);
  });
});
