/** How long hits count. Resets must be kept longer than that. */

import type { Policy } from "./policy.ts";

/** The longest life of a count under any of the policies. */
export function longestLifeMs(policies: readonly Policy[]): number {
  return Math.max(...policies.map((policy) => lifeMs(policy)));
}

/** The longest life of a count under one policy. */
function lifeMs(policy: Policy): number {
  switch (policy.kind) {
    case "tokenBucket":
    case "leakyBucket":
      return Math.ceil((policy.limit / policy.perSecond) * 1_000);
    case "concurrency":
      return 0;
    default:
      return 2 * policy.windowMs;
  }
}
