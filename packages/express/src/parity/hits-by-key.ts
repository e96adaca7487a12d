/**
 * The hits of a limiter as a store of express-rate-limit has them: counted, read and refunded by
 * key alone.
 *
 * A refund needs the decision that counted the hit. This keeps the decisions of hits that were
 * counted here. For a key that requests have counted, it counts one more hit and refunds it
 * together with one of theirs.
 */

import type { Decision, Limiter, PolicyResult } from "@tidegate/core";
import type { Key } from "@tidegate/core/http";
import type { ClientRateLimitInfo } from "./peer-types.ts";

/** The most decisions that are kept. */
const DECISIONS_MAX = 10_000;

export class HitsByKey {
  readonly #decisions = new Map<Key, Decision>();

  /** Undefined when a key has no counts. */
  of(limiter: Limiter, key: Key): ClientRateLimitInfo | undefined {
    const { known, results } = limiter.inspect(key);
    const [result] = results;
    return !known || result === undefined || result.resetMs === 0 ? undefined : infoOf(result);
  }

  count(limiter: Limiter, key: Key): ClientRateLimitInfo {
    const decision = charge(limiter, key);
    this.#decisions.delete(key);
    this.#decisions.set(key, decision);
    if (this.#decisions.size > DECISIONS_MAX) {
      const [oldest = ""] = this.#decisions.keys();
      this.#decisions.delete(oldest);
    }
    return infoOf(decision);
  }

  giveBack(limiter: Limiter, key: Key): void {
    if (limiter.policies.every(holdsPermits)) return;
    const now = limiter.peek(key, 0);
    const counted = this.#decisions.get(key);
    const sinceMs = counted === undefined ? 0 : now.atMs - counted.atMs;
    if (counted !== undefined && resultsOf(counted).some(({ resetMs }) => sinceMs < resetMs)) {
      limiter.refund(key, 1, counted);
    } else if (resultsOf(now).some(({ used }) => used > 0)) {
      limiter.refund(key, 2, charge(limiter, key));
    }
  }

  /** Call this when a key is reset, or all are: their counts are gone. */
  forget(key: Key): void {
    this.#decisions.delete(key);
  }

  forgetAll(): void {
    this.#decisions.clear();
  }
}

/** Counts a hit, and acquires no permit, because nothing would release it. */
function charge(limiter: Limiter, key: Key): Decision {
  const holding = limiter.policies.filter(holdsPermits);
  if (holding.length === 0) return limiter.charge(key, 1);
  const weights = Object.fromEntries(holding.map(({ name }) => [name, 0]));
  return limiter.charge(key, 1, { weights });
}

function holdsPermits({ kind }: Limiter["policies"][number]): boolean {
  return kind === "concurrency";
}

function resultsOf(decision: Decision): readonly PolicyResult[] {
  return decision.results ?? [decision];
}

function infoOf({ used, resetMs }: { used: number; resetMs: number }): ClientRateLimitInfo {
  const resetTime = resetMs < Infinity ? new Date(Date.now() + resetMs) : undefined;
  return { totalHits: used, resetTime };
}
