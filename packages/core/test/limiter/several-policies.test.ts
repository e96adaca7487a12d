import { describe, expect, it } from "vitest";
import {
  concurrency,
  createLimiter,
  type Decision,
  fixedWindow,
  HOUR,
  type Limiter,
  leakyBucket,
  MINUTE,
  type Policy,
  SECOND,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import { type ManualClock, manualClock } from "../../src/testing.ts";

function limiterWith(...policies: readonly Policy[]): { limiter: Limiter; clock: ManualClock } {
  const clock = manualClock(1_000_000);
  return { limiter: createLimiter({ name: "several", policies, clock }), clock };
}

function used({ results = [] }: Decision): readonly number[] {
  return results.map((result) => result.used);
}

const requestsAndTokens: readonly Policy[] = [
  fixedWindow({ name: "requests", limit: 3, windowMs: MINUTE }),
  fixedWindow({ name: "tokens", limit: 1_000, windowMs: MINUTE }),
];

describe("a limiter of several policies", () => {
  it("counts a hit in all of them when all allow it", () => {
    const { limiter } = limiterWith(...requestsAndTokens);
    expect(used(limiter.check("ada", 1, { weights: { tokens: 400 } }))).toEqual([1, 400]);
  });

  it("counts a hit in none of them when one refuses it", () => {
    const { limiter } = limiterWith(...requestsAndTokens);
    limiter.check("ada", 1, { weights: { tokens: 700 } });
    const refused = limiter.check("ada", 1, { weights: { tokens: 400 } });
    expect(refused.allowed).toBe(false);
    expect(refused.policy).toBe("tokens");
    expect(used(refused)).toEqual([1, 700]);
    expect(used(limiter.peek("ada", 0))).toEqual([1, 700]);
  });

  it("shows each policy's result, in the given order", () => {
    const { limiter } = limiterWith(...requestsAndTokens);
    limiter.check("ada", 1, { weights: { tokens: 1_000 } });
    const { results } = limiter.check("ada");
    expect(results).toMatchObject([
      { policy: "requests", allowed: true, used: 1, remaining: 2, retryAfterMs: 0 },
      { policy: "tokens", allowed: false, used: 1_000, remaining: 0, retryAfterMs: MINUTE },
    ]);
  });

  it("shows the policy with the least remaining while hits are allowed", () => {
    const { limiter } = limiterWith(...requestsAndTokens);
    expect(limiter.check("ada")).toMatchObject({ policy: "requests", remaining: 2 });
    expect(limiter.charge("ada", 998, { weights: { requests: 0 } })).toMatchObject({
      policy: "tokens",
      remaining: 1,
    });
  });

  it("shows the refusing policy with the longest wait", () => {
    const { limiter, clock } = limiterWith(
      fixedWindow({ name: "minute", limit: 2, windowMs: MINUTE }),
      fixedWindow({ name: "hour", limit: 2, windowMs: HOUR }),
    );
    limiter.check("ada", 2);
    clock.advance(SECOND);
    expect(limiter.check("ada")).toMatchObject({
      policy: "hour",
      retryAfterMs: HOUR - SECOND,
      reason: "limit",
    });
  });

  it("mixes policies of every kind", () => {
    const { limiter } = limiterWith(
      slidingWindow({ limit: 5, windowMs: MINUTE }),
      tokenBucket({ capacity: 4, refillPerSecond: 1 }),
      leakyBucket({ capacity: 3, leakPerSecond: 1 }),
      concurrency({ limit: 2 }),
    );
    expect(limiter.check("ada", 2).allowed).toBe(true);
    expect(limiter.check("ada")).toMatchObject({ allowed: false, policy: "concurrency" });
    limiter.release("ada", 2);
    expect(limiter.check("ada")).toMatchObject({ allowed: true, policy: "leakyBucket" });
    expect(limiter.check("ada")).toMatchObject({ allowed: false, policy: "leakyBucket" });
  });

  it("releases of each policy what a hit took by its weights", () => {
    const { limiter } = limiterWith(
      concurrency({ name: "sockets", limit: 9 }),
      concurrency({ name: "uploads", limit: 2 }),
      fixedWindow({ name: "rate", limit: 100, windowMs: MINUTE }),
    );
    const used = () => limiter.inspect("ada").results.map((result) => result.used);
    limiter.check("ada", 2, { weights: { sockets: 3, uploads: 0 } });
    limiter.check("ada");
    expect(used()).toEqual([7, 1, 3]);
    limiter.release("ada", 2, { weights: { sockets: 3, uploads: 0 } });
    expect(used()).toEqual([1, 1, 3]);
    limiter.release("ada", 1, {});
    expect(used()).toEqual([0, 0, 3]);
  });

  it("has no results where there is only one policy", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 3, windowMs: MINUTE }));
    expect(limiter.check("ada").results).toBeUndefined();
  });

  it("reports the longest waitMs", () => {
    const { limiter } = limiterWith(
      leakyBucket({ capacity: 1, leakPerSecond: 1, maxWaitMs: 5 * SECOND }),
      fixedWindow({ limit: 2, windowMs: MINUTE }),
    );
    limiter.check("ada");
    expect(limiter.check("ada")).toMatchObject({ policy: "leakyBucket", waitMs: SECOND });
  });
});

describe("a limit given with the call", () => {
  it("holds for that call alone and leaves the counts as they are", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 2, windowMs: MINUTE }));
    for (let hit = 0; hit < 2; hit++) limiter.check("ada");
    expect(limiter.check("ada")).toMatchObject({ allowed: false, limit: 2 });
    expect(limiter.check("ada", 1, { limit: 10 })).toMatchObject({
      allowed: true,
      limit: 10,
      used: 3,
      remaining: 7,
    });
    expect(limiter.check("ada")).toMatchObject({ allowed: false, used: 3, remaining: 0 });
  });

  it("may differ by policy", () => {
    const { limiter } = limiterWith(...requestsAndTokens);
    const decision = limiter.check("ada", 1, { limit: { tokens: 0 }, weights: { tokens: 0 } });
    expect(decision.results?.map(({ limit }) => limit)).toEqual([3, 0]);
    expect(decision.allowed).toBe(true);
  });

  it("is a capacity for buckets", () => {
    const { limiter } = limiterWith(tokenBucket({ capacity: 2, refillPerSecond: 1 }));
    expect(limiter.check("ada", 5).allowed).toBe(false);
    expect(limiter.check("ada", 5, { limit: 8 })).toMatchObject({ allowed: true, remaining: 3 });
  });

  it("of 0 refuses everything but a cost of 0", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 2, windowMs: MINUTE }));
    const refused = limiter.check("ada", 1, { limit: 0 });
    expect(refused).toMatchObject({ allowed: false, retryAfterMs: Number.POSITIVE_INFINITY });
    expect(limiter.check("ada", 0, { limit: 0 }).allowed).toBe(true);
  });
});

describe("a charge", () => {
  it("is counted beyond the limit, and holds later checks back until it is paid", () => {
    const { limiter, clock } = limiterWith(tokenBucket({ capacity: 100, refillPerSecond: 10 }));
    const charged = limiter.charge("ada", 250);
    expect(charged).toMatchObject({ allowed: true, used: 250, remaining: 0, retryAfterMs: 0 });
    const refused = limiter.check("ada", 50);
    expect(refused).toMatchObject({ allowed: false, retryAfterMs: 20 * SECOND });
    clock.advance(refused.retryAfterMs);
    expect(limiter.check("ada", 50).allowed).toBe(true);
  });

  it("beyond the limit stands in the way of hits that leave the policy out, until it is paid", () => {
    const { limiter, clock } = limiterWith(
      fixedWindow({ name: "requests", limit: 9, windowMs: MINUTE }),
      tokenBucket({ name: "tokens", capacity: 100, refillPerSecond: 10 }),
    );
    const noTokens = { weights: { tokens: 0 } };
    limiter.charge("ada", 100, { weights: { requests: 0 } });
    expect(limiter.check("ada", 1, noTokens).allowed).toBe(true);
    limiter.charge("ada", 50, { weights: { requests: 0 } });
    const refused = limiter.check("ada", 1, noTokens);
    expect(refused).toMatchObject({ allowed: false, policy: "tokens", retryAfterMs: 5 * SECOND });
    clock.advance(5 * SECOND);
    expect(limiter.check("ada", 1, noTokens).allowed).toBe(true);
  });

  it("can be given back in part", () => {
    const { limiter } = limiterWith(...requestsAndTokens);
    const { allowed } = limiter.check("ada", 1, { weights: { tokens: 0 } });
    expect(allowed).toBe(true);
    const reserved = limiter.charge("ada", 800, { weights: { requests: 0 } });
    limiter.refund("ada", 350, reserved);
    expect(used(limiter.peek("ada", 0))).toEqual([1, 450]);
  });
});

describe("a cost above the limit", () => {
  it("is refused for good and leaves no trace", () => {
    const { limiter } = limiterWith(fixedWindow({ limit: 2, windowMs: MINUTE }));
    expect(limiter.check("ada", 3)).toMatchObject({
      allowed: false,
      used: 0,
      remaining: 2,
      retryAfterMs: Number.POSITIVE_INFINITY,
    });
    expect(limiter.status().keys).toBe(0);
  });
});
