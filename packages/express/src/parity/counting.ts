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
import { ChangeableCounter } from "./changeable-counter.ts";
import { DEFAULTS } from "./defaults.ts";
import { isUnchangedStore } from "./limiter-store.ts";
import type { Store } from "./store.ts";
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
      limiter === own
        ? new ChangeableCounter(store, limiter as Counter, counter)
        : (limiter as Counter),
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
