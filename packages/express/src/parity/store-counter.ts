/**
 * Counts in a store of express-rate-limit, during a migration.
 *
 * A store may be remote, so its answers are awaited, but only up to a timeout. It is foreign code,
 * so its answers are checked.
 */

import { TidegateError } from "@tidegate/core";
import {
  type Counter,
  isThenable,
  type Key,
  limitOf,
  type MaybePromise,
  storedKey,
  type Verdict,
  type Warnings,
} from "@tidegate/core/http";
import type { IncrementResponse, LegacyStore, Store } from "./peer-types.ts";

/** A store did not answer in time. Express answers such a request with 503. */
export class StoreTimeoutError extends Error {
  override readonly name = "StoreTimeoutError";
  readonly code = "TIDEGATE_STORE_TIMEOUT";
  readonly status = 503;

  constructor(timeoutMs: number) {
    super(`the store did not answer within ${timeoutMs} ms ('storeTimeoutMs')`);
  }
}

interface StoreSettings {
  readonly limit: number;
  readonly windowMs: number;
  readonly timeoutMs: number;
  /** Whether a request passes uncounted when the store fails. */
  readonly passesOnError: boolean;
  readonly warnings: Warnings;
}

const used = new WeakSet<object>();

/** Warns if a store was given to another limiter before. */
export function sayReused(store: Store, warnings: Warnings): void {
  if (used.has(store)) warnings.say("TIDEGATE_STORE_REUSED");
  used.add(store);
}

export class StoreCounter implements Counter {
  readonly #store: Store;
  readonly #settings: StoreSettings;

  constructor(store: Store, settings: StoreSettings) {
    this.#store = store;
    this.#settings = settings;
  }

  check(
    key: Key,
    _cost?: number,
    options?: { limit?: number | object | undefined },
  ): MaybePromise<Verdict | null> {
    const { limit: given } = options ?? {};
    const limit = given === undefined ? this.#settings.limit : limitOf("limit", given);
    try {
      const answer = this.#store.increment(storedKey(key));
      if (!isThenable(answer)) return this.#verdict(answer, limit);
      return this.#inTime(answer).then(
        (answer) => this.#verdict(answer, limit),
        (error: unknown) => this.#failed(error),
      );
    } catch (error) {
      return this.#failed(error);
    }
  }

  peek(): never {
    throw new Error("a store cannot be read without counting");
  }

  charge(): never {
    throw new Error("a store counts one hit at a time");
  }

  refund(key: Key, _cost: number, { atMs, resetMs }: Verdict): MaybePromise<void> {
    if (Date.now() >= atMs + resetMs) return;
    const fail = (error: unknown) => this.#report(error);
    try {
      const pending: unknown = this.#store.decrement(storedKey(key));
      if (isThenable(pending)) return Promise.resolve(pending).then(() => undefined, fail);
    } catch (error) {
      fail(error);
    }
  }

  release(): void {}

  #verdict(answer: IncrementResponse, limit: number): Verdict | null {
    const { totalHits, resetTime } = answer ?? {};
    const { warnings, windowMs } = this.#settings;
    const used = hitsOf(totalHits);
    if (used !== totalHits || used < 1) {
      warnings.say("TIDEGATE_STORE_HITS", `The store answered with ${String(totalHits)}.`);
      if (Number.isNaN(used)) {
        return this.#failed(new TypeError("the store did not answer with a number of hits"));
      }
    }
    const atMs = Date.now();
    const end = resetTime instanceof Date ? resetTime.getTime() : Number.NaN;
    if (Number.isNaN(end)) warnings.say("TIDEGATE_STORE_RESET_TIME");
    const resetMs = Number.isNaN(end) ? windowMs : end - atMs;
    const allowed = used <= limit;
    return {
      policy: "store",
      allowed,
      limit,
      used,
      remaining: Math.max(0, limit - used),
      resetMs,
      retryAfterMs: allowed ? 0 : resetMs,
      waitMs: 0,
      atMs,
      degraded: false,
      reason: allowed ? null : "limit",
    };
  }

  #failed(error: unknown): null {
    if (!this.#settings.passesOnError) throw error;
    this.#report(error);
    return null;
  }

  #report(error: unknown): void {
    this.#settings.warnings.report("TIDEGATE_STORE_FAILED", error, Date.now());
  }

  #inTime<Answer>(answer: PromiseLike<Answer>): Promise<Answer> {
    const { timeoutMs } = this.#settings;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new StoreTimeoutError(timeoutMs)), timeoutMs);
      // Converts any thenable to a promise.
      Promise.resolve(answer)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }
}

/**
 * The hits in a store's answer as a whole number, rounded up so that no limit lies between the two;
 * NaN for an invalid answer. Databases return large numbers as text.
 */
function hitsOf(totalHits: unknown): number {
  const isText = typeof totalHits === "string" && totalHits.trim() !== "";
  const hits = isText ? Number(totalHits) : totalHits;
  if (typeof hits !== "number") return Number.NaN;
  return Math.min(Math.max(0, Math.ceil(hits)), Number.MAX_SAFE_INTEGER);
}

/** A store with the current interface, whatever its version. */
export function asStore(given: Store | LegacyStore): Store {
  const store = isLegacy(given) ? modern(given) : given;
  const { increment, decrement, resetKey, resetAll, init } = store ?? {};
  const needed = [increment, decrement, resetKey];
  const optional = [resetAll, init];
  const isStore =
    needed.every((method) => typeof method === "function") &&
    optional.every((method) => method === undefined || typeof method === "function");
  if (isStore) return store;
  throw new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    "'store' must be a store of express-rate-limit, with increment, decrement and resetKey",
  );
}

function isLegacy(store: Store | LegacyStore): store is LegacyStore {
  const { incr, increment } = (store ?? {}) as Partial<Store & LegacyStore>;
  return typeof incr === "function" && typeof increment !== "function";
}

function modern(store: LegacyStore): Store {
  return {
    increment: (key) =>
      new Promise((resolve, reject) => {
        store.incr(key, (error, totalHits, resetTime) => {
          if (error) reject(error);
          else resolve({ totalHits, resetTime });
        });
      }),
    decrement: (key) => store.decrement(key),
    resetKey: (key) => store.resetKey(key),
    ...(typeof store.resetAll === "function" && { resetAll: () => store.resetAll?.() }),
  };
}
