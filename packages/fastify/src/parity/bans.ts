/**
 * Bans and growing waits. Where refusals lead to a ban, attempts that a penalty refuses are counted
 * too, so that the ban comes in time.
 */

import { Decision, type Limiter } from "@tidegate/core";
import type { Counter } from "@tidegate/core/http";
import type { Given } from "../given.ts";

/** How many refusals lead to a ban; null without bans. */
export function banOf({ ban = -1 }: Given): number | null {
  return ban < 0 ? null : Math.trunc(ban);
}

/** Whether the attempts of refused clients are counted too, so that a ban comes in time. */
export function countsTries(given: Given): boolean {
  return banOf(given) !== null && (given.continueExceeding === true || backsOff(given));
}

export function backsOff({
  continueExceeding = false,
  exponentialBackoff = false,
}: Given): boolean {
  return exponentialBackoff && !continueExceeding;
}

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
