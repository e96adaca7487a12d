import { describe, expect, it } from "vitest";
import {
  createLimiter,
  fixedWindow,
  type Limiter,
  MINUTE,
  slidingLog,
  tokenBucket,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";
import { MAX, ODD_VALUES, outcome } from "./odd-values.ts";

const INVALID = "TIDEGATE_OPTION_INVALID";
const UNKNOWN = "TIDEGATE_OPTION_UNKNOWN";

// biome-ignore lint/suspicious/noExplicitAny: what is tested is what the types forbid.
type Anything = any;

function limiterOf(...names: readonly string[]): Limiter {
  const policies = names.map((name) => fixedWindow({ name, limit: 3, windowMs: MINUTE }));
  return createLimiter({ name: "inputs", policies, clock: manualClock(1_000) });
}

/** The odd values that are taken, by title, and what `use` makes of each. */
function takesOnly(
  takes: Readonly<Record<string, unknown>>,
  use: (value: Anything) => unknown,
): void {
  for (const [title, value] of ODD_VALUES) {
    const expected = title in takes ? takes[title] : INVALID;
    it(`${title} is ${expected === INVALID ? "refused" : `taken as ${expected}`}`, () => {
      expect(outcome(() => use(value))).toBe(expected);
    });
  }
}

describe.each(["check", "peek", "charge"] as const)("options of %s", (method) => {
  describe("themselves", () => {
    takesOnly(
      { "an empty object": 3 },
      (options) => limiterOf("only")[method]("ada", 1, options).limit,
    );

    it("undefined is none", () => {
      expect(limiterOf("only")[method]("ada", 1, undefined).limit).toBe(3);
    });

    it("of an unknown name are refused", () => {
      const options: Anything = { limits: 5 };
      expect(outcome(() => limiterOf("only")[method]("ada", 1, options))).toBe(UNKNOWN);
    });
  });

  describe("limit", () => {
    const use = (limit: Anything): number => limiterOf("only")[method]("ada", 1, { limit }).limit;
    takesOnly({ "0": 0, "-0": 0, "2^53 - 1": MAX, "an empty object": 3 }, use);

    it("undefined is the policy's own", () => {
      expect(use(undefined)).toBe(3);
      expect(use({ only: undefined })).toBe(3);
    });

    it("by the name of the policy is taken", () => {
      expect(use({ only: 5 })).toBe(5);
    });

    it("by a name that no policy has is refused", () => {
      expect(outcome(() => use({ other: 5 }))).toBe(UNKNOWN);
    });

    it("as a number is refused where there are several policies", () => {
      const limiter = limiterOf("one", "two");
      expect(outcome(() => limiter[method]("ada", 1, { limit: 5 }))).toBe(INVALID);
      expect(limiter[method]("ada", 1, { limit: { two: 1 } }).limit).toBe(1);
    });
  });

  it.each([
    { policy: slidingLog({ limit: 3, windowMs: MINUTE }), most: 1_000_000 },
    { policy: tokenBucket({ capacity: 3, refillPerSecond: 1 }), most: 9_007_199_254_740 },
    { policy: fixedWindow({ limit: 3, windowMs: MINUTE }), most: Number.MAX_SAFE_INTEGER },
  ])("limit is at most $most for $policy.kind, as the policy's own", ({ policy, most }) => {
    const limiter = createLimiter({ name: "inputs", policy, clock: manualClock(1_000) });
    const use = (limit: number | Record<string, number>) => () =>
      limiter[method]("ada", 1, { limit }).limit;
    expect([use(most)(), use({ [policy.name]: most })()]).toEqual([most, most]);
    expect([outcome(use(most + 1)), outcome(use({ [policy.name]: most + 1 }))]).toEqual([
      INVALID,
      INVALID,
    ]);
  });

  describe("limit by name", () => {
    takesOnly(
      { "0": 0, "-0": 0, "2^53 - 1": MAX },
      (only) => limiterOf("only")[method]("ada", 1, { limit: { only } }).limit,
    );
  });

  describe("weights", () => {
    const use = (weights: Anything): number =>
      limiterOf("only")[method]("ada", 1, { weights }).limit;
    takesOnly({ "an empty object": 3 }, use);

    it("undefined is 1 for every policy", () => {
      expect(use(undefined)).toBe(3);
      expect(use({ only: undefined })).toBe(3);
    });

    it("by a name that no policy has are refused", () => {
      expect(outcome(() => use({ other: 5 }))).toBe(UNKNOWN);
    });
  });

  describe("weight by name", () => {
    takesOnly(
      { "0": 3, "-0": 3, "2^53 - 1": 3 },
      (only) => limiterOf("only")[method]("ada", 1, { weights: { only } }).limit,
    );

    it("times the cost is refused above 2^53 - 1", () => {
      const options = { weights: { only: MAX } };
      const call = () => limiterOf("only")[method]("ada", 2, options);
      expect(outcome(call)).toBe("TIDEGATE_COST_INVALID");
    });
  });
});
