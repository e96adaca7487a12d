/**
 * A limiter: policies put to work on a bounded number of keys.
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
  /** Whether anything at all is known of the key. */
  readonly known: boolean;
  /** What each policy would say about a hit of cost 0. */
  readonly results: readonly PolicyResult[];
  /** What refuses the key whatever its counts are, and for how much longer. */
  readonly marks: readonly { readonly kind: MarkKind; readonly remainingMs: number }[];
}

/** How a limiter is doing. */
export interface LimiterStatus {
  readonly name: string;
  /** Keys in memory now, and at most. */
  readonly keys: number;
  readonly maxKeys: number;
  /** Decisions of `check` and `charge` since the limiter was made. */
  readonly allowed: number;
  readonly refused: number;
  /** Keys forgotten for want of room, by what they were. */
  readonly evicted: {
    readonly expired: number;
    readonly foreign: number;
    readonly live: number;
    readonly refused: number;
    /** Resets, blocks and penalties, which are kept apart from keys and as many at most. */
    readonly notes: number;
  };
  /** Hits that were allowed and not counted, because no key could be forgotten. */
  readonly turnedAway: number;
  /** Refunds that came too late or for more than was counted, in hits. */
  readonly ignoredRefunds: number;
}

export interface Limiter {
  readonly name: string;
  readonly policies: readonly Policy[];
  /**
   * Asks whether a hit may pass, and counts it if it may.
   *
   * @example
   * const { allowed, retryAfterMs } = limiter.check(userId);
   */
  check(key: string | Uint8Array, cost?: number, options?: CallOptions): Decision;
  /** Asks whether a hit would pass, and counts nothing. */
  peek(key: string | Uint8Array, cost?: number, options?: CallOptions): Decision;
  /** Counts a hit without asking, beyond the limit if need be; for costs known only afterwards. */
  charge(key: string | Uint8Array, cost?: number, options?: CallOptions): Decision;
  /**
   * Gives back `cost` of the hit that `decision` counted, with the hit's weights, while its window
   * or slot lasts; later it does nothing and is counted in the status, as for a hit that was
   * refused. Never touches what a `concurrency` policy holds.
   */
  refund(key: string | Uint8Array, cost: number, decision: Decision): void;
  /**
   * Gives back what a `concurrency` policy holds; more than is held does nothing. A hit that had
   * weights is released with the same ones; without, each such policy of the limiter gives back `cost`.
   */
  release(key: string | Uint8Array, cost?: number, options?: ReleaseOptions): void;
  /** Forgets a key's hits, and lifts blocks and penalties. What is held concurrently stays held. */
  reset(key: string | Uint8Array): void;
  /** Does for every key what `reset` does for one. */
  resetAll(): void;
  /** Refuses a key for `forMs` from now on, whatever its counts are. */
  block(key: string | Uint8Array, forMs: number): void;
  /** Lifts blocks and penalties of a key, and leaves its hits. */
  unblock(key: string | Uint8Array): void;
  /** Says what is known of a key, and changes nothing. */
  inspect(key: string | Uint8Array): Inspection;
  status(): LimiterStatus;
  /**
   * Forgets everything. In a cluster, what was counted goes on counting for the others, what was held is
   * free, and a limiter that is made again goes on with it. A closed limiter still answers, by itself.
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
