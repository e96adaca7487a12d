/**
 * A gate's limiter as a store of express-rate-limit: for `getKey` and `resetKey`, and for handlers,
 * which receive a store and may use it.
 *
 * A key is given as a key function returns it, and counts as it does in the gate.
 */

import type { Limiter } from "@tidegate/core";
import { type Gate, type Key, type KeyAnswer, keyOf } from "@tidegate/core/http";
import type { Request, Response } from "express";
import { HitsByKey } from "./hits-by-key.ts";
import type { ClientRateLimitInfo, Store } from "./peer-types.ts";

export class GateStore implements Store {
  readonly localKeys = true;
  /** Set after the gate is made: options receive their store before that. */
  gate: Gate<Request, Response> | null = null;
  readonly #hits = new HitsByKey();

  get(key: KeyAnswer): Promise<ClientRateLimitInfo | undefined> {
    return Promise.resolve(this.#at(key, (limiter, key) => this.#hits.of(limiter, key)));
  }

  increment(key: KeyAnswer): Promise<ClientRateLimitInfo> {
    const counted = this.#at(key, (limiter, key) => this.#hits.count(limiter, key));
    return Promise.resolve(counted ?? { totalHits: 0, resetTime: undefined });
  }

  decrement(key: KeyAnswer): Promise<void> {
    this.#at(key, (limiter, key) => this.#hits.giveBack(limiter, key));
    return Promise.resolve();
  }

  resetKey(given: KeyAnswer): void {
    const key = keyOf(given);
    if (key === null) return;
    this.#hits.forget(key);
    for (const limiter of this.#limiters()) limiter.reset(key);
  }

  resetAll(): void {
    this.#hits.forgetAll();
    for (const limiter of this.#limiters()) limiter.resetAll();
  }

  /** Undefined where there is no key, or no limiter of ours. */
  #at<Answer>(given: KeyAnswer, act: (limiter: Limiter, key: Key) => Answer): Answer | undefined {
    const key = keyOf(given);
    const limiter = this.gate?.limiter;
    return key === null || !limiter ? undefined : act(limiter, key);
  }

  #limiters(): readonly Limiter[] {
    return this.gate?.limiters ?? [];
  }
}
