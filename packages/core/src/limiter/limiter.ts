/**
 * A limiter applies policies to a bounded number of keys.
 *
 * Every call is synchronous and answers from memory. A check reads the clock once and finds the key
 * once; nothing on that path waits.
 */

import type { Decision, PolicyResult } from "../base/decision.ts";
import type { MarkKind } from "../crdt/mark.ts";
import type { Policy } from "../policies/policy.ts";
import type { CallOptions, ReleaseOptions } from "./call.ts";
import { type LimiterOptions, resolveLimiterOptions } from "./limiter-options.ts";
import { StoreLimiter } from "./store-limiter.ts";

/** What is known of one key. */
export interface Inspection {
  /** Whether anything is known of the key. */
  readonly known: boolean;
  /** What each policy would decide about a hit of cost 0. */
  readonly results: readonly PolicyResult[];
  /** The marks that refuse the key whatever its counts are, and for how much longer. */
  readonly marks: readonly { readonly kind: MarkKind; readonly remainingMs: number }[];
}

/** The state of a limiter and its statistics. */
export interface LimiterStatus {
  readonly name: string;
  /** Keys in memory now, and the most there can be. */
  readonly keys: number;
  readonly maxKeys: number;
  /** Decisions of `check` and `charge` since the limiter was made. */
  readonly allowed: number;
  readonly refused: number;
  /** Evicted keys, by kind. */
  readonly evicted: {
    readonly expired: number;
    readonly foreign: number;
    readonly live: number;
    readonly refused: number;
    /**
     * Keys with resets, blocks or penalties, which are stored apart from counts and have the same
     * bound.
     */
    readonly notes: number;
  };
  /** Hits that were allowed and not counted, because no key could be evicted. */
  readonly uncounted: number;
  /** Hits of refunds that came too late or for more than was counted. */
  readonly ignoredRefunds: number;
}

export interface Limiter {
  readonly name: string;
  readonly policies: readonly Policy[];
  /**
   * Checks a hit, and counts it if it is allowed.
   *
   * @example const { allowed, retryAfterMs } = limiter.check(userId);
   */
  check(key: string | Uint8Array, cost?: number, options?: CallOptions): Decision;
  /** Checks a hit without counting it. */
  peek(key: string | Uint8Array, cost?: number, options?: CallOptions): Decision;
  /**
   * Counts a hit without checking, above the limit if need be; for costs that are known only
   * afterwards.
   */
  charge(key: string | Uint8Array, cost?: number, options?: CallOptions): Decision;
  /**
   * Refunds `cost` of the hit that `decision` counted, with the hit's weights, while its window or
   * slot lasts. A later refund does nothing and is counted in the status; so is the refund of a
   * refused hit. Permits of a `concurrency` policy are never refunded.
   */
  refund(key: string | Uint8Array, cost: number, decision: Decision): void;
  /**
   * Releases permits of a `concurrency` policy; releasing more than are held does nothing. Release
   * a hit that had weights with the same ones. Without weights, each such policy of the limiter
   * releases `cost`.
   */
  release(key: string | Uint8Array, cost?: number, options?: ReleaseOptions): void;
  /** Forgets a key's hits, and lifts blocks and penalties. Held permits stay held. */
  reset(key: string | Uint8Array): void;
  /** Does the same as `reset`, for every key. */
  resetAll(): void;
  /** Refuses a key for `forMs` from now on, whatever its counts are. */
  block(key: string | Uint8Array, forMs: number): void;
  /** Lifts blocks and penalties of a key, and leaves its hits. */
  unblock(key: string | Uint8Array): void;
  /** Returns what is known of a key, and changes nothing. */
  inspect(key: string | Uint8Array): Inspection;
  status(): LimiterStatus;
  /**
   * Forgets everything. In a cluster, counts stay valid for the others, permits are released, and a
   * limiter that is created again continues with the counts. A closed limiter still answers, from
   * counts of its own.
   */
  close(): void;
}

/**
 * Creates a limiter. Create it once, outside of request handlers.
 *
 * @example
 * const limiter = createLimiter({
 *   name: "api",
 *   policy: fixedWindow({ limit: 100, windowMs: MINUTE }),
 * });
 * if (!limiter.check(userId).allowed) refuse();
 */
export function createLimiter(options: LimiterOptions): Limiter {
  return new StoreLimiter(resolveLimiterOptions(options));
}
