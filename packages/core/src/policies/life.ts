/** How long hits count, so that what ends them is kept for longer. */

import type { Policy } from "./policy.ts";

/** How long what any of them counts lives at most. */
export function longestLifeMs(policies: readonly Policy[]): number {
  return Math.max(...policies.map((policy) => lifeMs(policy)));
}

/** How long what a policy counts lives at most. */
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
