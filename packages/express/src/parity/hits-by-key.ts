/**
 * The hits of a limiter as a store of express-rate-limit has them: counted, told and given back by their
 * key alone.
 *
 * A hit can be given back only with the decision that counted it. That is remembered where the hit was
 * counted here; of a key that requests have counted, one more hit is counted and given back along with
 * one of theirs.
 */

import type { Decision, Limiter, PolicyResult } from "@tidegate/core";
import type { Key } from "@tidegate/core/http";
import type { ClientRateLimitInfo } from "./store.ts";

/** How many decisions are remembered. */
const DECISIONS_MAX = 10_000;

export class HitsByKey {
  readonly #decisions = new Map<Key, Decision>();

  /** Undefined where nothing of a key counts. */
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
    if (limiter.policies.every(holdsPlaces)) return;
    const now = limiter.peek(key, 0);
    const counted = this.#decisions.get(key);
    const sinceMs = counted === undefined ? 0 : now.atMs - counted.atMs;
    if (counted !== undefined && resultsOf(counted).some(({ resetMs }) => sinceMs < resetMs)) {
      limiter.refund(key, 1, counted);
    } else if (resultsOf(now).some(({ used }) => used > 0)) {
      limiter.refund(key, 2, charge(limiter, key));
    }
  }

  /** To be called where a key is reset, or all are: nothing that was counted is there any more. */
  forget(key: Key): void {
    this.#decisions.delete(key);
  }

  forgetAll(): void {
    this.#decisions.clear();
  }
}

/** Counts a hit, and takes no permit, since nothing would release it. */
function charge(limiter: Limiter, key: Key): Decision {
  const holding = limiter.policies.filter(holdsPlaces);
  if (holding.length === 0) return limiter.charge(key, 1);
  const weights = Object.fromEntries(holding.map(({ name }) => [name, 0]));
  return limiter.charge(key, 1, { weights });
}

function holdsPlaces({ kind }: Limiter["policies"][number]): boolean {
  return kind === "concurrency";
}

function resultsOf(decision: Decision): readonly PolicyResult[] {
  return decision.results ?? [decision];
}

function infoOf({ used, resetMs }: { used: number; resetMs: number }): ClientRateLimitInfo {
  const resetTime = resetMs < Infinity ? new Date(Date.now() + resetMs) : undefined;
  return { totalHits: used, resetTime };
}
