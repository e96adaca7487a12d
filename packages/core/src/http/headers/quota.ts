/**
 * A policy and its results in the whole seconds and numbers of HTTP fields.
 *
 * Waits are rounded up and available hits down, so a client that waits for the given time is
 * allowed. Concurrency does not promise this: only a release frees a permit. For buckets no response
 * suggests a rate above the bucket's own.
 */

import type { PolicyResult } from "../../base/decision.ts";
import { invalidOption } from "../../base/options.ts";
import type { Policy } from "../../policies/policy.ts";

/** The largest number that a header field may carry: an integer of 15 digits. */
export const QUOTA_MAX = 999_999_999_999_999;

/** When a client that found no free permit may try again. */
const CONCURRENCY_RETRY_MS = 1_000;

/** One policy as headers show it. */
export class Quota {
  /** The policy's name in decisions. */
  readonly policy: string;
  /** The limit, for calls without their own. */
  readonly limit: number;
  /** Whether it counts requests in flight: time does not help, and `q` and `r` have that unit. */
  readonly isConcurrency: boolean = false;
  /** The wait to send when no wait helps. */
  readonly hopelessMs: number;
  /** Null for buckets, whose window follows from the limit, and for concurrency, which has none. */
  readonly #windowSeconds: number | null = null;
  /** Hits that a bucket regains in a second; 0 for other policies. */
  readonly #perSecond: number = 0;

  constructor(policy: Policy) {
    this.policy = policy.name;
    this.limit = policy.limit;
    switch (policy.kind) {
      case "fixedWindow":
      case "slidingWindow":
      case "slidingLog":
        this.hopelessMs = policy.windowMs;
        this.#windowSeconds = atLeastOne(policy.windowMs / 1_000);
        break;
      case "tokenBucket":
      case "leakyBucket":
        this.hopelessMs = (policy.limit / policy.perSecond) * 1_000;
        this.#perSecond = policy.perSecond;
        break;
      case "concurrency":
        this.hopelessMs = CONCURRENCY_RETRY_MS;
        this.isConcurrency = true;
    }
  }

  /** `w`: the window, or the time in which an empty bucket fills up; null where there is neither. */
  windowSeconds(limit: number): number | null {
    return this.#perSecond > 0 ? atLeastOne(limit / this.#perSecond) : this.#windowSeconds;
  }

  /** How long a client should wait that this policy has refused: at least a second. */
  retryAfterSeconds(result: PolicyResult): number {
    const { retryAfterMs } = result;
    return atLeastOne((retryAfterMs < Infinity ? retryAfterMs : this.hopelessMs) / 1_000);
  }

  /** `r`: how much a client may use within `effectiveSeconds`. */
  available(result: PolicyResult): number {
    const { limit, allowed } = result;
    const remaining = Math.min(result.remaining, QUOTA_MAX);
    if (allowed) return remaining;
    if (this.isConcurrency) return 0;
    if (this.#perSecond === 0) return remaining;
    const perWindow = this.windowSeconds(limit) ?? 1;
    return Math.min(remaining, Math.floor((this.retryAfterSeconds(result) * limit) / perWindow));
  }

  /** `t`: the seconds that `available` has to last for; null where time does not help. */
  effectiveSeconds(result: PolicyResult): number | null {
    if (this.isConcurrency) return null;
    if (!result.allowed) return this.retryAfterSeconds(result);
    if (this.#perSecond === 0) return Math.max(0, Math.ceil(result.resetMs / 1_000));
    const { limit, remaining, resetMs } = result;
    if (remaining > 0) return Math.ceil((remaining * (this.windowSeconds(limit) ?? 1)) / limit);
    return atLeastOne((resetMs - ((limit - 1) / this.#perSecond) * 1_000) / 1_000);
  }
}

/**
 * Checks a limit that a user's function returned: rounded down, and capped at what fields can
 * carry.
 */
export function limitOf(option: string, limit: unknown): number {
  if (typeof limit === "number" && limit >= 0) return Math.min(Math.floor(limit), QUOTA_MAX);
  throw invalidOption(option, "a number of at least 0", limit);
}

function atLeastOne(seconds: number): number {
  return seconds > 1 ? Math.ceil(seconds) : 1;
}
