/**
 * What the HTTP layer needs of a decision, and who makes it: a limiter, or a store during a
 * migration.
 */

import type { PolicyResult, RefusalReason } from "../base/decision.ts";
import type { CallOptions, ReleaseOptions } from "../limiter/call.ts";
import type { MaybePromise } from "./user-functions.ts";

/** A key that a limiter counts. */
export type Key = string | Uint8Array;

/** A decision as clients see it. Every `Decision` of a limiter is one. */
export interface Verdict extends PolicyResult {
  /** When it was made, on the counter's clock. */
  readonly atMs: number;
  readonly degraded: boolean;
  readonly reason: RefusalReason | null;
  readonly results?: readonly PolicyResult[];
}

/**
 * A limiter, or another object with the part of a limiter that the HTTP layer uses. Answers that
 * are promises are awaited.
 */
export interface Counter {
  /** Null means that the hit could not be counted and is allowed. */
  check(key: Key, cost?: number, options?: CallOptions): MaybePromise<Verdict | null>;
  peek(key: Key, cost?: number, options?: CallOptions): MaybePromise<Verdict | null>;
  charge(key: Key, cost?: number, options?: CallOptions): MaybePromise<unknown>;
  refund(key: Key, cost: number, verdict: Verdict): MaybePromise<void>;
  release(key: Key, cost?: number, options?: ReleaseOptions): void;
}
