/**
 * A store of ours as a counter: its limiter counts at once, for as long as the store is as it was written.
 *
 * A subclass, or a test, may put functions of its own in the place of a store's. Then those are called,
 * as express-rate-limit would. They may change at any time, so each request looks.
 */

import type { Counter, Key, MaybePromise, Verdict } from "@tidegate/core/http";
import { isUnchangedStore, type LimiterStore } from "./limiter-store.ts";

type CallOptions = Parameters<Counter["check"]>[2];

export class ChangeableCounter implements Counter {
  readonly #store: LimiterStore;
  readonly #limiter: Counter;
  readonly #changed: Counter;

  /**
   * @param limiter what the store counts in
   * @param changed what calls the store's functions
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
