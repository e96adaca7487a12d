/**
 * The token bucket and the leaky bucket: one policy seen from two sides.
 *
 * A bucket's level falls at a steady rate and rises with every hit; tokens are the room that is
 * left. Levels are exact to the millisecond in one process. A client that was quiet may send a
 * burst up to the capacity, and one that never pauses gets the rate.
 *
 * With `maxWaitMs` a leaky bucket shapes traffic. It allows a hit that does not fit yet, with a
 * `waitMs`. After that wait the hit leaves, at the bucket's rate, as from a queue.
 */

import {
  COUNT_MAX,
  durationMs,
  knownOptions,
  missingOption,
  positiveNumber,
  wholeNumber,
} from "../base/options.ts";
import { type CommonPolicyOptions, makePolicy, policyName } from "./policy.ts";

/** The largest bucket: levels are kept in thousandths of a hit. */
export const BUCKET_CAPACITY_MAX: number = Math.floor(COUNT_MAX / 1_000);
/** The fastest rate, in hits per second. */
const RATE_MAX = 1e9;

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

function bucketCapacity(place: string, capacity: unknown): number {
  if (capacity === undefined) throw missingOption(place, "capacity", "how many hits at once");
  return wholeNumber("capacity", capacity, 0, BUCKET_CAPACITY_MAX);
}

function bucketRate(place: string, option: string, rate: unknown): number {
  if (rate === undefined) throw missingOption(place, option, "how many hits per second");
  return positiveNumber(option, rate, RATE_MAX);
}
