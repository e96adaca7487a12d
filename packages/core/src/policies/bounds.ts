/**
 * What bounds a policy: the largest limit that it can keep, and how long its hits count.
 *
 * Every policy has a finite life, because the life decides what a process may forget. A limiter
 * keeps its resets, and its counts after it is closed, for the longest life of its policies. In a
 * cluster the longest life of all limiters decides how long a process remembers replicas that have
 * ended. So one limiter with windows of a year makes it remember all of them for two years.
 */

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
    case "fixedWindow":
    case "slidingWindow":
    case "concurrency":
      return COUNT_MAX;
  }
}

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
    case "fixedWindow":
    case "slidingWindow":
    case "slidingLog":
      return 2 * policy.windowMs;
  }
}
