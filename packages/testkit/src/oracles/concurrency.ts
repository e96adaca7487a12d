/**
 * The reference for requests in flight: permits acquired and not yet released.
 *
 * Time releases nothing, so a refused request has no retry time, and a refund releases no permit.
 * No other policy is like that.
 */

import type { Oracle, OracleVerdict } from "./oracle.ts";

/** The reference for `concurrency`. */
export interface ConcurrencyOracle extends Oracle {
  /** Releases up to `cost` of the held permits. */
  release(nowMs: number, cost: number): void;
}

/** Makes the reference for `concurrency`. */
export function concurrencyOracle(options: { limit: number }): ConcurrencyOracle {
  const changes: number[] = [];
  const held = (): number => changes.reduce((sum, change) => sum + change, 0);
  const verdict = (allowed: boolean, limit: number): OracleVerdict => ({
    allowed,
    used: held(),
    remaining: Math.max(0, limit - held()),
    resetMs: held() === 0 ? 0 : Infinity,
    retryAfterMs: allowed ? 0 : Infinity,
    waitMs: 0,
  });
  return {
    check: (_nowMs, cost, limit = options.limit) => {
      const allowed = held() + cost <= limit;
      if (allowed) changes.push(cost);
      return verdict(allowed, limit);
    },
    peek: (_nowMs, cost, limit = options.limit) => verdict(held() + cost <= limit, limit),
    charge: (_nowMs, cost) => {
      changes.push(cost);
      return verdict(true, options.limit);
    },
    refund: () => {},
    release: (_nowMs, cost) => {
      changes.push(-Math.min(cost, held()));
    },
  };
}
