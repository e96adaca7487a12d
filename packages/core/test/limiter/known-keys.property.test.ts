import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";
import { resolveLimiterOptions } from "../../src/limiter/limiter-options.ts";
import { StoreLimiter } from "../../src/limiter/store-limiter.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import type { Policy } from "../../src/policies/policy.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import { expectEqual } from "../quick-expectation.ts";

/** So few records that keys take over one another's, by their numbers. */
const MAX_KEYS = 4;
const KEYS = Array.from({ length: 12 }, (_, index) => `key ${index}`);

type Step =
  | { readonly key: string; readonly cost: number }
  | { readonly passMs: number }
  | "resetAll";

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ key: fc.constantFrom(...KEYS), cost: fc.integer({ min: 0, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ passMs: fc.integer({ min: 0, max: 700 }) }) },
  fc.constant("resetAll" as const),
);

const policies: [string, Policy][] = [
  ["windows", fixedWindow({ limit: 5, windowMs: 1_000 })],
  ["slots", slidingWindow({ limit: 5, windowMs: 1_000 })],
];

it.each(policies)("a cached key gives the same decisions as its text: %s", (_, policy) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: "max" }), (steps) => {
      let now = 1_000;
      const clock = { now: () => now };
      const open = (): StoreLimiter =>
        new StoreLimiter(resolveLimiterOptions({ name: "api", policy, clock, maxKeys: MAX_KEYS }));
      const [named, knowing] = [open(), open()];
      const known = new Map(KEYS.map((key) => [key, knowing.know(key)]));
      for (const each of steps) {
        if (each === "resetAll") for (const limiter of [named, knowing]) limiter.resetAll();
        else if ("passMs" in each) now += each.passMs;
        else {
          const { key, cost } = each;
          const expected = named.check(key, cost);
          expectEqual(knowing.checkKnown(known.get(key)!, cost), expected);
        }
      }
      expect(knowing.status()).toEqual(named.status());
      for (const limiter of [named, knowing]) limiter.close();
      const { allowed } = knowing.checkKnown(known.get("key 0")!, 1);
      expect(allowed).toBe(named.check("key 0").allowed);
    }),
    seededRuns(200),
  );
});
