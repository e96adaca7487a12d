/**
 * How often a client tried, where a refusal is followed by a penalty: what a penalty refuses is counted
 * as well, so that a ban comes when it is due.
 */

import { Decision, type Limiter } from "@tidegate/core";
import type { Counter } from "@tidegate/core/http";

/** Counts every try in `limiter`, which itself counts those that it lets pass. */
export function countingTries(limiter: Limiter): Counter {
  return {
    check: (key, cost, options) => {
      const decision = limiter.check(key, cost, options);
      if (decision.allowed || decision.reason === "block") return decision;
      // A refused client has tried once too often, also if that was in a window before this one.
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
