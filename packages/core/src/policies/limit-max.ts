/** The largest limit of each policy. */

import { COUNT_MAX } from "../base/options.ts";
import { BUCKET_CAPACITY_MAX } from "./bucket.ts";
import type { Policy } from "./policy.ts";
import { SLIDING_LOG_LIMIT_MAX } from "./sliding-log.ts";

/** The largest limit that a policy can keep. */
export function limitMax(policy: Policy): number {
  switch (policy.kind) {
    case "slidingLog":
      return SLIDING_LOG_LIMIT_MAX;
    case "tokenBucket":
    case "leakyBucket":
      return BUCKET_CAPACITY_MAX;
    default:
      return COUNT_MAX;
  }
}
