import { GOLDEN_EXAMPLES } from "@tidegate/testkit";
import { describe, expect, it } from "vitest";
import { createLimiter } from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";
import { policyFor } from "./policy-for.ts";

describe("a limiter on the golden examples", () => {
  for (const { name, policy, steps } of GOLDEN_EXAMPLES) {
    it(name, () => {
      const clock = manualClock(0);
      const limiter = createLimiter({ name: "golden", policy: policyFor(policy), clock });
      for (const { atMs, op, cost, expect: expected, note } of steps) {
        clock.set(atMs);
        const decision = limiter[op]("key", cost);
        expect(decision, `at ${atMs} ms, ${op} ${cost}: ${note}`).toMatchObject(expected);
      }
    });
  }
});
