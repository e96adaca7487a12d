/**
 * Chooses the counter when the option `store` is given: the limiter behind a store of ours, or else
 * the store.
 */

import {
  type Adapter,
  type Counter,
  type GateOptions,
  isThenable,
  limitOf,
  type Warnings,
} from "@tidegate/core/http";
import type { Request, Response } from "express";
import type { Options, RateLimitOptions } from "../options.ts";
import { DEFAULTS } from "./defaults.ts";
import { isUnchangedStore, type LimiterStore } from "./limiter-store.ts";
import type { Store } from "./peer-types.ts";
import { StoreCounter, sayReused } from "./store-counter.ts";

export const STORE_TIMEOUT_MS = 5_000;

export function countingIn(
  store: Store,
  given: RateLimitOptions,
  { limit = DEFAULTS.limit, windowMs = DEFAULTS.windowMs }: GateOptions<Request, Response>,
  used: Options,
  warnings: Warnings,
): Pick<Adapter<Request, Response>, "counter" | "counterOf" | "limiter"> {
  sayReused(store, warnings);
  begin(store, used, warnings);
  const counter = new StoreCounter(store, {
    limit: typeof limit === "number" ? limitOf("limit", limit) : 0,
    windowMs: typeof windowMs === "number" ? windowMs : DEFAULTS.windowMs,
    timeoutMs: given.storeTimeoutMs ?? STORE_TIMEOUT_MS,
    passesOnError: given.passOnStoreError === true,
    warnings,
  });
  if (!isUnchangedStore(store) || store.limiter === null) return { counter };
  const { limiter: own } = store;
  return {
    limiter: own,
    counterOf: (limiter) =>
      limiter === own ? changeable(store, limiter as Counter, counter) : (limiter as Counter),
  };
}

/**
 * Counts in the limiter of a store of ours while the store's functions are unchanged. A subclass or
 * a test may replace them at any time. Then the replacements are called, as in express-rate-limit.
 */
function changeable(store: LimiterStore, limiter: Counter, changed: StoreCounter): Counter {
  const counter = (): Counter => (isUnchangedStore(store) ? limiter : changed);
  return {
    check: (key, cost, options) => counter().check(key, cost, options),
    peek: (key, cost, options) => limiter.peek(key, cost, options),
    charge: (key, cost, options) => limiter.charge(key, cost, options),
    refund: (key, cost, verdict) => counter().refund(key, cost, verdict),
    release: (key, cost, options) => limiter.release(key, cost, options),
  };
}

/** Initializes a store; a failure is reported, and its first answer will show it. */
function begin(store: Store, used: Options, warnings: Warnings): void {
  if (isUnchangedStore(store)) {
    void store.init(used);
    return;
  }
  const fail = (error: unknown) => warnings.report("TIDEGATE_STORE_UNREADY", error, Date.now());
  try {
    const pending: unknown = store.init?.(used);
    if (isThenable(pending)) pending.then(undefined, fail);
  } catch (error) {
    fail(error);
  }
}
