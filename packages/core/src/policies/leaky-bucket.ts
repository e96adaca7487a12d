/**
 * A steady rate: hits fill a bucket that leaks, and hits that do not fit are refused.
 *
 * With `maxWaitMs` it shapes traffic: a hit that does not fit yet is allowed with a `waitMs`, after
 * which it leaves at the bucket's rate, as from a queue.
 */

import { durationMs, knownOptions } from "../base/options.ts";
import { bucketCapacity, bucketRate } from "./bucket.ts";
import { type CommonPolicyOptions, makePolicy, policyName } from "./policy.ts";

export interface LeakyBucketOptions extends CommonPolicyOptions {
  /** Hits that fit at once. 0 refuses everything. */
  readonly capacity: number;
  /** Hits that leak out each second; fractions are allowed. */
  readonly leakPerSecond: number;
  /**
   * How long a hit that does not fit may be delayed instead of being refused. In a cluster, a burst
   * that reaches several processes at once may leave at up to that many times the rate.
   *
   * @default 0
   */
  readonly maxWaitMs?: number | undefined;
}

export interface LeakyBucketPolicy {
  readonly kind: "leakyBucket";
  readonly name: string;
  /** The capacity, under the name that all policies share. */
  readonly limit: number;
  readonly perSecond: number;
  readonly maxWaitMs: number;
}

/**
 * Allows hits at a steady rate, `capacity` of them at once.
 *
 * @example
 * leakyBucket({ capacity: 10, leakPerSecond: 10, maxWaitMs: 2 * SECOND });
 */
export function leakyBucket(options: LeakyBucketOptions): LeakyBucketPolicy {
  knownOptions("leakyBucket", options, ["name", "capacity", "leakPerSecond", "maxWaitMs"]);
  const { maxWaitMs = 0 } = options;
  return makePolicy<LeakyBucketPolicy>({
    kind: "leakyBucket",
    name: policyName("leakyBucket", options.name),
    limit: bucketCapacity("leakyBucket", options.capacity),
    perSecond: bucketRate("leakyBucket", "leakPerSecond", options.leakPerSecond),
    maxWaitMs: durationMs("maxWaitMs", maxWaitMs, 0),
  });
}
