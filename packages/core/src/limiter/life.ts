/** How long hits count, so that what ends them is kept for longer. */

import type { Policy } from "../policies/policy.ts";

/** How long what a policy counts lives at most. */
export function lifeMs(policy: Policy): number {
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
