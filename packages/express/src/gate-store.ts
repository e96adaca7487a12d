/**
 * What a gate counts in, as a store of express-rate-limit: for `getKey` and `resetKey`, and for handlers,
 * which are told of a store and may use it.
 *
 * A hit can be given back only with the decision that counted it, so `decrement` gives back what
 * `increment` counted here, and never a request's own hit.
 */

import type { Decision, Limiter } from "@tidegate/core";
import type { Gate } from "@tidegate/core/http";
import type { Request, Response } from "express";
import type { ClientRateLimitInfo, Store } from "./store.ts";

/** How many decisions are remembered. */
const DECISIONS_MAX = 1_000;

export class GateStore implements Store {
  readonly localKeys = true;
  /** Set once the gate is made: options are told of their store before. */
  gate: Gate<Request, Response> | null = null;
  readonly #decisions = new Map<string, Decision>();

  get(key: string): Promise<ClientRateLimitInfo | undefined> {
    const { known = false, results = [] } = this.gate?.limiter?.inspect(key) ?? {};
    const [result] = results;
    if (!known || result === undefined || result.resetMs === 0) return Promise.resolve(undefined);
    return Promise.resolve(infoOf(result));
  }

  increment(key: string): Promise<ClientRateLimitInfo> {
    const limiter = this.gate?.limiter;
    if (!limiter) return Promise.resolve({ totalHits: 0, resetTime: undefined });
    const decision = limiter.charge(key, 1, { weights: withoutPlaces(limiter) });
    this.#decisions.delete(key);
    this.#decisions.set(key, decision);
    if (this.#decisions.size > DECISIONS_MAX) {
      const [oldest = ""] = this.#decisions.keys();
      this.#decisions.delete(oldest);
    }
    return Promise.resolve(infoOf(decision));
  }

  decrement(key: string): Promise<void> {
    const decision = this.#decisions.get(key);
    this.#decisions.delete(key);
    if (decision !== undefined) this.gate?.limiter?.refund(key, 1, decision);
    return Promise.resolve();
  }

  resetKey(key: string): void {
    for (const limiter of this.#limiters()) limiter.reset(key);
  }

  resetAll(): void {
    for (const limiter of this.#limiters()) limiter.resetAll();
  }

  #limiters(): readonly Limiter[] {
    return this.gate?.limiters ?? [];
  }
}

/** Nobody would release a place that is taken here. */
function withoutPlaces({ policies }: Limiter): Readonly<Record<string, number>> {
  const holding = policies.filter(({ kind }) => kind === "concurrency");
  return Object.fromEntries(holding.map(({ name }) => [name, 0]));
}

function infoOf({ used, resetMs }: { used: number; resetMs: number }): ClientRateLimitInfo {
  const resetTime = resetMs < Infinity ? new Date(Date.now() + resetMs) : undefined;
  return { totalHits: used, resetTime };
}
