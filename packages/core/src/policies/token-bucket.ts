/**
 * Bursts of up to `capacity` hits, and `refillPerSecond` of them in the long run.
 *
 * The bucket starts full. Each hit takes tokens, and they come back at a steady rate, so a client
 * that was quiet may burst and one that never pauses gets the rate.
 */

import { knownOptions } from "../base/options.ts";
import { bucketCapacity, bucketRate } from "./bucket.ts";
import { type CommonPolicyOptions, makePolicy, policyName } from "./policy.ts";

export interface TokenBucketOptions extends CommonPolicyOptions {
  /** Tokens in a full bucket: the largest burst. 0 refuses everything. */
  readonly capacity: number;
  /** Tokens that come back each second; fractions are allowed, such as `1 / 60` for one a minute. */
  readonly refillPerSecond: number;
}

export interface TokenBucketPolicy {
  readonly kind: "tokenBucket";
  readonly name: string;
  /** The capacity, under the name that all policies share. */
  readonly limit: number;
  readonly perSecond: number;
}

/**
 * Allows bursts of `capacity` hits and `refillPerSecond` in the long run.
 *
 * @example
 * tokenBucket({ capacity: 20, refillPerSecond: 5 });
 */
export function tokenBucket(options: TokenBucketOptions): TokenBucketPolicy {
  knownOptions("tokenBucket", options, ["name", "capacity", "refillPerSecond"]);
  return makePolicy<TokenBucketPolicy>({
    kind: "tokenBucket",
    name: policyName("tokenBucket", options.name),
    limit: bucketCapacity("tokenBucket", options.capacity),
    perSecond: bucketRate("tokenBucket", "refillPerSecond", options.refillPerSecond),
  });
}
