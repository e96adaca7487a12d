/**
 * A limiter of ours as a store of express-rate-limit.
 *
 * `tidegateStore` lets a limiter of express-rate-limit count together with other processes.
 * `MemoryStore` has the name that its users know, and counts in this process alone.
 */

import {
  type Cluster,
  createLimiter,
  fixedWindow,
  type Limiter,
  type LimiterOptions,
  TidegateError,
} from "@tidegate/core";
import { type Key, keyOf, limitOf } from "@tidegate/core/http";
import { HitsByKey } from "./hits-by-key.ts";
import type { ClientRateLimitInfo, Store } from "./peer-types.ts";

/** The store's limit per window; larger than any real limit. */
const LIMIT_DEFAULT = 999_999_999_999_999;

export interface TidegateStoreOptions {
  /** The cluster whose processes count together. */
  readonly cluster: Cluster;
  /** The limiter's name in the cluster; limiters of the same name and window count together. */
  readonly name: string;
  /** The most keys in memory. */
  readonly maxKeys?: number | undefined;
}

/** What a store reads of the limiter's options. */
interface Given {
  readonly windowMs: unknown;
  readonly limit?: unknown;
}

export abstract class LimiterStore implements Store {
  declare prefix?: string;
  localKeys = true;
  windowMs = 0;
  #limiter: Limiter | null = null;
  readonly #hits = new HitsByKey();

  /** The limiter behind the store; null until the store is given to express-rate-limit. */
  get limiter(): Limiter | null {
    return this.#limiter;
  }

  init(options: Given): void {
    const { windowMs, limit } = options;
    if (typeof windowMs !== "number" || !(windowMs > 0 && windowMs < Infinity)) {
      throw new TidegateError("TIDEGATE_OPTION_INVALID", "'windowMs' must be a number above 0");
    }
    this.shutdown();
    this.windowMs = windowMs;
    const policy = fixedWindow({
      limit: typeof limit === "number" ? limitOf("limit", limit) : LIMIT_DEFAULT,
      windowMs: Math.ceil(windowMs),
      countRefused: true,
    });
    this.#limiter = createLimiter({ ...this.place(), policy });
  }

  get(key: string): Promise<ClientRateLimitInfo | undefined> {
    return Promise.resolve(this.#hits.of(this.#ready(), countedKey(key)));
  }

  increment(key: string): Promise<ClientRateLimitInfo> {
    return Promise.resolve(this.#hits.count(this.#ready(), countedKey(key)));
  }

  decrement(key: string): Promise<void> {
    this.#hits.giveBack(this.#ready(), countedKey(key));
    return Promise.resolve();
  }

  resetKey(key: string): Promise<void> {
    this.#hits.forget(countedKey(key));
    this.#limiter?.reset(countedKey(key));
    return Promise.resolve();
  }

  resetAll(): Promise<void> {
    this.#hits.forgetAll();
    this.#limiter?.resetAll();
    return Promise.resolve();
  }

  shutdown(): void {
    this.#limiter?.close();
    this.#hits.forgetAll();
  }

  /** The limiter's options other than its window. */
  protected abstract place(): Omit<LimiterOptions, "policy" | "policies">;

  #ready(): Limiter {
    if (this.#limiter !== null) return this.#limiter;
    throw new TidegateError(
      "TIDEGATE_OPTION_MISSING",
      "the store needs to know its window first: give it to a limiter, or call init({ windowMs })",
    );
  }
}

const METHODS = ["init", "get", "increment", "decrement", "resetKey", "resetAll"] as const;

/** The original functions of a store. */
const WRITTEN = new Map(METHODS.map((name) => [name, LimiterStore.prototype[name]]));

/** Whether a store is one of ours with all its functions unchanged. */
export function isUnchangedStore(store: Store | null): store is LimiterStore {
  if (!(store instanceof LimiterStore)) return false;
  for (const [name, method] of WRITTEN) if (store[name] !== method) return false;
  return true;
}

/** Counts in this process, as express-rate-limit does by default; it exists for its name. */
export class MemoryStore extends LimiterStore {
  protected override place(): { name: string } {
    return { name: "memory-store" };
  }
}

class ClusterStore extends LimiterStore {
  override localKeys = false;
  override prefix: string;
  readonly #options: TidegateStoreOptions;

  constructor(options: TidegateStoreOptions) {
    super();
    this.#options = options;
    this.prefix = `${options.name}:`;
  }

  protected override place(): Omit<LimiterOptions, "policy" | "policies"> {
    return this.#options;
  }
}

/**
 * A store for express-rate-limit that counts in a cluster.
 *
 * @example
 * rateLimit({ windowMs: MINUTE, limit: 100, store: tidegateStore({ cluster, name: "api" }) });
 */
export function tidegateStore(options: TidegateStoreOptions): Store {
  if (options?.cluster === undefined || typeof options.name !== "string") {
    throw new TidegateError("TIDEGATE_OPTION_MISSING", "tidegateStore needs 'cluster' and 'name'");
  }
  return new ClusterStore(options);
}

/**
 * A key as it counts in a gate of ours. Other values become text, because express-rate-limit passes
 * on whatever its key functions return.
 */
function countedKey(key: unknown): Key {
  return keyOf(key) ?? String(key);
}
