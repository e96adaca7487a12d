/**
 * What the HTTP layer needs of a decision. A limiter makes it, or a store while a team moves over to a limiter.
 */

import type { PolicyResult, RefusalReason } from "../base/decision.ts";
import type { CallOptions, ReleaseOptions } from "../limiter/call.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** What a limiter counts by. */
export type Key = string | Uint8Array;

/** A decision as it is shown to clients. Every `Decision` of a limiter is one. */
export interface Verdict extends PolicyResult {
  /** When it was made, by the clock of the counter. */
  readonly atMs: number;
  readonly degraded: boolean;
  readonly reason: RefusalReason | null;
  readonly results?: readonly PolicyResult[];
}

/**
 * What counts: a limiter, or something that looks like the part of one that the HTTP layer uses.
 * Whatever it answers later than at once is awaited.
 */
export interface Counter {
  /** Null says that nothing could be counted and the hit is to pass. */
  check(key: Key, cost?: number, options?: CallOptions): MaybePromise<Verdict | null>;
  peek(key: Key, cost?: number, options?: CallOptions): MaybePromise<Verdict | null>;
  charge(key: Key, cost?: number, options?: CallOptions): MaybePromise<unknown>;
  refund(key: Key, cost: number, verdict: Verdict): MaybePromise<void>;
  release(key: Key, cost?: number, options?: ReleaseOptions): void;
}
