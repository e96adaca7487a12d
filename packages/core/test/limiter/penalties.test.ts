import { describe, expect, it } from "vitest";
import {
  createLimiter,
  type FixedWindowOptions,
  fixedWindow,
  HOUR,
  type Limiter,
  MINUTE,
  SECOND,
  slidingWindow,
} from "../../src/index.ts";
import { type ManualClock, manualClock } from "../../src/testing.ts";

type Penalties = Omit<FixedWindowOptions, "limit" | "windowMs">;

/** Two hits a minute, and what else the test wants. */
function strictLimiter(more: Penalties): { limiter: Limiter; clock: ManualClock } {
  const clock = manualClock(1_000_000);
  const policy = fixedWindow({ limit: 2, windowMs: MINUTE, ...more });
  return { limiter: createLimiter({ name: "strict", policy, clock }), clock };
}

function spend(limiter: Limiter, key = "ada"): void {
  limiter.check(key, 2);
}

describe("restart", () => {
  it("starts the wait again at every refused hit", () => {
    const { limiter, clock } = strictLimiter({ restart: true });
    spend(limiter);
    for (let attempt = 0; attempt < 5; attempt++) {
      clock.advance(59 * SECOND);
      expect(limiter.check("ada")).toMatchObject({
        allowed: false,
        reason: "penalty",
        retryAfterMs: MINUTE,
      });
    }
    clock.advance(MINUTE);
    expect(limiter.check("ada").allowed).toBe(true);
  });

  it("takes no notice of a peek", () => {
    const { limiter, clock } = strictLimiter({ restart: true });
    spend(limiter);
    limiter.check("ada");
    clock.advance(59 * SECOND);
    expect(limiter.peek("ada").retryAfterMs).toBe(SECOND);
    clock.advance(SECOND);
    expect(limiter.check("ada").allowed).toBe(true);
  });
});

describe("backoff", () => {
  it("doubles the wait with each refusal in a window", () => {
    const { limiter } = strictLimiter({ backoff: true });
    spend(limiter);
    const waits = [1, 2, 3, 4, 5].map(() => limiter.check("ada").retryAfterMs / MINUTE);
    expect(waits).toEqual([1, 2, 4, 8, 16]);
  });

  it("grows by another factor, up to a maximum", () => {
    const { limiter } = strictLimiter({ backoff: { factor: 3, maxMs: 10 * MINUTE } });
    spend(limiter);
    const waits = [1, 2, 3, 4].map(() => limiter.check("ada").retryAfterMs / MINUTE);
    expect(waits).toEqual([1, 3, 9, 10]);
  });

  it("begins anew after the wait", () => {
    const { limiter, clock } = strictLimiter({ backoff: true });
    spend(limiter);
    for (let attempt = 0; attempt < 4; attempt++) limiter.check("ada");
    clock.advance(8 * MINUTE);
    spend(limiter);
    expect(limiter.check("ada").retryAfterMs).toBe(MINUTE);
  });

  it("does not shorten a wait, nor lengthen it by hits after the window", () => {
    const { limiter, clock } = strictLimiter({ backoff: true });
    spend(limiter);
    for (let attempt = 0; attempt < 4; attempt++) limiter.check("ada");
    clock.advance(3 * MINUTE);
    expect(limiter.check("ada").retryAfterMs).toBe(5 * MINUTE);
  });
});

describe("ban", () => {
  const ban = { after: 3, forMs: HOUR };

  it("blocks a client once more of its hits were refused in a window than `after`", () => {
    const { limiter } = strictLimiter({ ban });
    spend(limiter);
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(limiter.check("ada").reason).toBe("limit");
    }
    expect(limiter.check("ada")).toMatchObject({ reason: "block", retryAfterMs: HOUR });
  });

  it("is not prolonged by hits during the ban", () => {
    const { limiter, clock } = strictLimiter({ ban });
    spend(limiter);
    for (let attempt = 0; attempt < 4; attempt++) limiter.check("ada");
    clock.advance(HOUR - 1);
    expect(limiter.check("ada")).toMatchObject({ reason: "block", retryAfterMs: 1 });
    clock.advance(1);
    expect(limiter.check("ada").allowed).toBe(true);
  });

  it("counts refusals of one window only", () => {
    const { limiter, clock } = strictLimiter({ ban });
    for (let window = 0; window < 5; window++) {
      spend(limiter);
      for (let attempt = 0; attempt < 3; attempt++) limiter.check("ada");
      clock.advance(MINUTE);
    }
    expect(limiter.check("ada").allowed).toBe(true);
  });

  it("holds whatever limit a call brings", () => {
    const { limiter } = strictLimiter({ ban });
    spend(limiter);
    for (let attempt = 0; attempt < 4; attempt++) limiter.check("ada");
    expect(limiter.check("ada", 1, { limit: 100 }).reason).toBe("block");
  });

  it("concerns no other key", () => {
    const { limiter } = strictLimiter({ ban });
    spend(limiter);
    for (let attempt = 0; attempt < 4; attempt++) limiter.check("ada");
    expect(limiter.check("grace").allowed).toBe(true);
  });
});

describe("drain", () => {
  it("refuses everything until the window ends once a hit was refused", () => {
    const { limiter, clock } = strictLimiter({ drain: true });
    limiter.check("ada");
    expect(limiter.check("ada", 2)).toMatchObject({ reason: "drain", retryAfterMs: MINUTE });
    expect(limiter.check("ada")).toMatchObject({ allowed: false, reason: "drain", remaining: 0 });
    clock.advance(MINUTE);
    expect(limiter.check("ada", 2).allowed).toBe(true);
  });

  it("follows a hit whose cost is above the limit as well, and begins no window", () => {
    const { limiter, clock } = strictLimiter({ drain: true });
    limiter.check("ada", 3);
    expect(limiter.check("ada").allowed).toBe(true);
    clock.advance(20 * SECOND);
    expect(limiter.check("ada", 3)).toMatchObject({
      reason: "drain",
      retryAfterMs: Number.POSITIVE_INFINITY,
    });
    expect(limiter.check("ada")).toMatchObject({ reason: "drain", retryAfterMs: 40 * SECOND });
    clock.advance(40 * SECOND);
    expect(limiter.check("ada").allowed).toBe(true);
  });
});

describe("a penalty", () => {
  it.each([{ restart: true }, { backoff: true }, { drain: true }])(
    "of %o is lifted for a caller with a higher limit",
    (more) => {
      const { limiter } = strictLimiter(more);
      spend(limiter);
      limiter.check("ada");
      expect(limiter.check("ada", 1, { limit: 5 }).allowed).toBe(true);
      expect(limiter.check("ada").allowed).toBe(false);
    },
  );

  it.each([{ restart: true }, { backoff: true }, { ban: { after: 0, forMs: HOUR } }])(
    "of %o does not come from a cost that could never pass",
    (more) => {
      const { limiter } = strictLimiter(more);
      limiter.check("ada");
      expect(limiter.check("ada", 3)).toMatchObject({ allowed: false, reason: "limit" });
      expect(limiter.check("ada").allowed).toBe(true);
    },
  );

  it("shows in the results of the policy it belongs to", () => {
    const limiter = createLimiter({
      name: "two",
      policies: [
        fixedWindow({ name: "day", limit: 100, calendar: "day" }),
        fixedWindow({ name: "burst", limit: 2, windowMs: MINUTE, ban: { after: 0, forMs: HOUR } }),
      ],
      clock: manualClock(1_000_000),
    });
    spend(limiter);
    const { reason, policy, results } = limiter.check("ada");
    expect({ reason, policy }).toEqual({ reason: "block", policy: "burst" });
    expect(results?.map(({ allowed }) => allowed)).toEqual([true, false]);
  });
});

describe("countRefused", () => {
  it("shows in `used` how often a client tried, and changes nothing else in a fixed window", () => {
    const { limiter, clock } = strictLimiter({ countRefused: true });
    spend(limiter);
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(limiter.check("ada")).toMatchObject({ used: 2 + attempt, retryAfterMs: MINUTE });
    }
    clock.advance(MINUTE);
    expect(limiter.check("ada").used).toBe(1);
  });

  it("does not count what a penalty or block refuses", () => {
    const { limiter } = strictLimiter({ countRefused: true, backoff: true });
    spend(limiter);
    const used = [1, 2, 3].map(() => limiter.check("ada").used);
    expect(used).toEqual([3, 3, 3]);
  });

  it("refuses a client of a sliding window for as long as it keeps trying", () => {
    const clock = manualClock(1_000_000);
    const policy = slidingWindow({ limit: 2, windowMs: MINUTE, countRefused: true });
    const limiter = createLimiter({ name: "strict", policy, clock });
    spend(limiter);
    for (let attempt = 0; attempt < 50; attempt++) {
      clock.advance(10 * SECOND);
      expect(limiter.check("ada").allowed).toBe(false);
    }
    clock.advance(limiter.peek("ada").retryAfterMs);
    expect(limiter.check("ada").allowed).toBe(true);
  });
});
