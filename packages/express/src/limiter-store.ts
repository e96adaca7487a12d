/**
 * A limiter of ours as a store of express-rate-limit.
 *
 * `tidegateStore` is for those who cannot change their limiter yet and want it to count together with
 * other processes; `MemoryStore` has the name that they know, and counts in this process alone.
 */

import {
  type Cluster,
  createLimiter,
  type Decision,
  fixedWindow,
  type Limiter,
  type LimiterOptions,
  TidegateError,
} from "@tidegate/core";
import { limitOf, storedKey } from "@tidegate/core/http";
import type { ClientRateLimitInfo, Store } from "./store.ts";

/** So many hits per window are told apart; more than any limit. */
const LIMIT_DEFAULT = 999_999_999_999_999;
/** How many decisions are remembered, so that a hit can be given back by its key alone. */
const DECISIONS_MAX = 10_000;

export interface TidegateStoreOptions {
  /** The cluster whose processes count together. */
  readonly cluster: Cluster;
  /** What the limiter is called in it; limiters of the same name and window count together. */
  readonly name: string;
  /** How many keys are kept at most. */
  readonly maxKeys?: number | undefined;
}

/** What a store needs to know of the limiter it is given to. */
interface Given {
  readonly windowMs: unknown;
  readonly limit?: unknown;
}

export abstract class LimiterStore implements Store {
  declare prefix?: string;
  localKeys = true;
  windowMs = 0;
  #limiter: Limiter | null = null;
  readonly #decisions = new Map<string, Decision>();

  /** The limiter behind the store; null before the store was given to express-rate-limit. */
  get limiter(): Limiter | null {
    return this.#limiter;
  }

  init(options: Given): void {
    const { windowMs, limit } = options;
    if (typeof windowMs !== "number" || !(windowMs > 0 && windowMs < Infinity)) {
      throw new TidegateError("TIDEGATE_OPTION_INVALID", "'windowMs' must be a number above 0");
    }
    this.#limiter?.close();
    this.windowMs = windowMs;
    const policy = fixedWindow({
      limit: typeof limit === "number" ? limitOf("limit", limit) : LIMIT_DEFAULT,
      windowMs: Math.ceil(windowMs),
      countRefused: true,
    });
    this.#limiter = createLimiter({ ...this.place(), policy });
  }

  get(key: string): Promise<ClientRateLimitInfo | undefined> {
    const { known, results } = this.#ready().inspect(storedKey(key));
    const result = results[0];
    if (!known || result === undefined || result.resetMs === 0) return Promise.resolve(undefined);
    return Promise.resolve(infoOf(result));
  }

  increment(key: string): Promise<ClientRateLimitInfo> {
    const decision = this.#ready().charge(storedKey(key), 1);
    this.#decisions.delete(key);
    this.#decisions.set(key, decision);
    if (this.#decisions.size > DECISIONS_MAX) {
      const [oldest] = this.#decisions.keys();
      if (oldest !== undefined) this.#decisions.delete(oldest);
    }
    return Promise.resolve(infoOf(decision));
  }

  decrement(key: string): Promise<void> {
    const decision = this.#decisions.get(key);
    if (decision !== undefined) this.#ready().refund(storedKey(key), 1, decision);
    return Promise.resolve();
  }

  resetKey(key: string): Promise<void> {
    this.#limiter?.reset(storedKey(key));
    return Promise.resolve();
  }

  resetAll(): Promise<void> {
    this.#limiter?.resetAll();
    return Promise.resolve();
  }

  shutdown(): void {
    this.#limiter?.close();
    this.#decisions.clear();
  }

  /** What the limiter is made of beside its window. */
  protected abstract place(): Omit<LimiterOptions, "policy" | "policies">;

  #ready(): Limiter {
    if (this.#limiter !== null) return this.#limiter;
    throw new TidegateError(
      "TIDEGATE_OPTION_MISSING",
      "the store needs to know its window first: give it to a limiter, or call init({ windowMs })",
    );
  }
}

/** Counts in this process, as express-rate-limit does by default; only its name is needed for that. */
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

function infoOf({ used, resetMs }: { used: number; resetMs: number }): ClientRateLimitInfo {
  return { totalHits: used, resetTime: new Date(Date.now() + resetMs) };
}
