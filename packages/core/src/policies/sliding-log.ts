/**
 * At most `limit` hits in any stretch of `windowMs`, to the millisecond.
 *
 * Every hit expires exactly one window after it came. This is the strictest policy, and the only
 * one whose memory grows with the limit: twelve bytes and more for each hit inside the window.
 */

import { durationMs, knownOptions, missingOption, wholeNumber } from "../base/options.ts";
import { type CommonPolicyOptions, makePolicy, policyName } from "./policy.ts";

/** The largest limit of a sliding log: a million hits of one key take some 14 MB. */
export const SLIDING_LOG_LIMIT_MAX = 1_000_000;

export interface SlidingLogOptions extends CommonPolicyOptions {
  /** Hits allowed in any stretch of one window, at most a million; 0 refuses everything. */
  readonly limit: number;
  /** How long the window is. */
  readonly windowMs: number;
}

export interface SlidingLogPolicy {
  readonly kind: "slidingLog";
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * Allows `limit` hits in any stretch of `windowMs`, exactly.
 *
 * @example
 * slidingLog({ limit: 5, windowMs: 15 * MINUTE });
 */
export function slidingLog(options: SlidingLogOptions): SlidingLogPolicy {
  knownOptions("slidingLog", options, ["name", "limit", "windowMs"]);
  const { limit, windowMs } = options;
  if (limit === undefined) throw missingOption("slidingLog", "limit", "how many hits");
  if (windowMs === undefined) {
    throw missingOption("slidingLog", "windowMs", "how long the window is");
  }
  return makePolicy<SlidingLogPolicy>({
    kind: "slidingLog",
    name: policyName("slidingLog", options.name),
    limit: wholeNumber("limit", limit, 0, SLIDING_LOG_LIMIT_MAX),
    windowMs: durationMs("windowMs", windowMs),
  });
}
