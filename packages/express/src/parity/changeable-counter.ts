/**
 * A store of ours as a counter: its limiter counts directly while the store's functions are
 * unchanged.
 *
 * A subclass or a test may replace functions of a store. Then the replacements are called, as in
 * express-rate-limit. They may be replaced at any time, so each request checks for it.
 */

import type { Counter, Key, MaybePromise, Verdict } from "@tidegate/core/http";
import { isUnchangedStore, type LimiterStore } from "./limiter-store.ts";

type CallOptions = Parameters<Counter["check"]>[2];

export class ChangeableCounter implements Counter {
  readonly #store: LimiterStore;
  readonly #limiter: Counter;
  readonly #changed: Counter;

  /**
   * @param limiter counts while the store is unchanged
   * @param changed calls the store's functions
   */
  constructor(store: LimiterStore, limiter: Counter, changed: Counter) {
    this.#store = store;
    this.#limiter = limiter;
    this.#changed = changed;
  }

  check(key: Key, cost?: number, options?: CallOptions): MaybePromise<Verdict | null> {
    return this.#counter().check(key, cost, options);
  }

  peek(key: Key, cost?: number, options?: CallOptions): MaybePromise<Verdict | null> {
    return this.#limiter.peek(key, cost, options);
  }

  charge(key: Key, cost?: number, options?: CallOptions): MaybePromise<unknown> {
    return this.#limiter.charge(key, cost, options);
  }

  refund(key: Key, cost: number, verdict: Verdict): MaybePromise<void> {
    return this.#counter().refund(key, cost, verdict);
  }

  release(key: Key, ...given: [cost?: number, options?: object]): void {
    this.#limiter.release(key, ...given);
  }

  #counter(): Counter {
    return isUnchangedStore(this.#store) ? this.#limiter : this.#changed;
  }
}
