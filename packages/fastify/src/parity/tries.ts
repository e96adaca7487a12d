/**
 * Counts every attempt where refusals lead to a penalty: attempts that the penalty refuses are
 * counted too, so that a ban comes in time.
 */

import { Decision, type Limiter } from "@tidegate/core";
import type { Counter } from "@tidegate/core/http";

/** Counts every attempt in `limiter`, which itself counts the allowed ones. */
export function countingTries(limiter: Limiter): Counter {
  return {
    check: (key, cost, options) => {
      const decision = limiter.check(key, cost, options);
      if (decision.allowed || decision.reason === "block") return decision;
      // A refused client is over the limit, even if its attempts were in an earlier window.
      const { used, limit } = limiter.charge(key, cost, options);
      return { ...decision, used: Math.max(used, limit + 1) };
    },
    peek: (key, cost, options) => limiter.peek(key, cost, options),
    charge: (key, cost, options) => limiter.charge(key, cost, options),
    refund: (key, cost, verdict) => {
      if (verdict instanceof Decision) limiter.refund(key, cost, verdict);
    },
    release: (key, cost, options) => limiter.release(key, cost, options),
  };
}
