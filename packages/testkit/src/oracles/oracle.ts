/**
 * The common part of the references: a list of every hit, and the level computed from it.
 *
 * A reference must be obviously right. It keeps every hit, recomputes the level from the first one
 * at each call, and finds every wait by trying. Levels are exact integers of a unit small enough
 * for the policy. Do not optimise this code if that makes it less obvious.
 */

import { leastWait } from "./least-wait.ts";

/** The result of a reference; `used` and `remaining` are those after the call. */
export interface OracleVerdict {
  readonly allowed: boolean;
  /** What counts against the limit now, rounded up. */
  readonly used: number;
  /** What is left of the limit, rounded down and never below zero. */
  readonly remaining: number;
  /** The smallest wait after which nothing counts any more, without further hits. */
  readonly resetMs: number;
  /**
   * The smallest wait after which the same check is allowed, `Infinity` if there is none; 0 if
   * allowed.
   */
  readonly retryAfterMs: number;
  /** How long an allowed hit is delayed: only in a shaping bucket. */
  readonly waitMs: number;
}

/** The reference for one policy and one key. Times must not go back from call to call. */
export interface Oracle {
  /** Checks, and counts if allowed. */
  check(nowMs: number, cost: number, limit?: number): OracleVerdict;
  /** Checks without counting. */
  peek(nowMs: number, cost: number, limit?: number): OracleVerdict;
  /** Counts without checking, above the limit if need be; its verdict is always `allowed`. */
  charge(nowMs: number, cost: number): OracleVerdict;
  /** Refunds up to `cost` of the hits at exactly `hitAtMs`, if they still count. */
  refund(nowMs: number, hitAtMs: number, cost: number): void;
}

/** One hit as it happened. */
export interface OracleHit {
  readonly atMs: number;
  readonly cost: number;
  readonly refused: boolean;
  refunded: number;
}

/** A policy, as the level that a list of hits gives at a time. */
export interface OracleRule {
  readonly limit: number;
  /** How many units of the level one hit of cost 1 is. */
  readonly unitsPerHit: bigint;
  /** The level at `atMs`, in units. */
  level(hits: readonly OracleHit[], atMs: number): bigint;
  /** Allows hits above the limit that wait until the excess has drained; absent: no such hits. */
  readonly shaping?: { readonly maxWaitMs: number; waitMs(excess: bigint): number };
}

/** Makes the reference out of its rule. */
export function createOracle(rule: OracleRule): Oracle {
  const hits: OracleHit[] = [];
  const unitsOf = (count: number): bigint => BigInt(count) * rule.unitsPerHit;

  /** How long a hit would have to wait at `atMs`, `Infinity` if it is refused. */
  const waitOf = (atMs: number, cost: number, limit: number): number => {
    const excess = rule.level(hits, atMs) + unitsOf(cost) - unitsOf(limit);
    if (excess <= 0n) return 0;
    if (cost > limit || rule.shaping === undefined) return Infinity;
    const waitMs = rule.shaping.waitMs(excess);
    return waitMs <= rule.shaping.maxWaitMs ? waitMs : Infinity;
  };

  const verdict = (
    nowMs: number,
    limit: number,
    answer: { allowed: boolean; retryAfterMs: number; waitMs: number },
  ): OracleVerdict => {
    const level = rule.level(hits, nowMs);
    const remaining = unitsOf(limit) - level;
    return {
      ...answer,
      used: Number((level + rule.unitsPerHit - 1n) / rule.unitsPerHit),
      remaining: remaining > 0n ? Number(remaining / rule.unitsPerHit) : 0,
      resetMs: level === 0n ? 0 : leastWait((ms) => rule.level(hits, nowMs + ms) === 0n),
    };
  };

  const ask = (nowMs: number, cost: number, limit: number, counting: boolean): OracleVerdict => {
    const waitMs = waitOf(nowMs, cost, limit);
    const allowed = waitMs !== Infinity;
    if (counting && cost > 0) hits.push({ atMs: nowMs, cost, refused: !allowed, refunded: 0 });
    if (allowed) return verdict(nowMs, limit, { allowed, retryAfterMs: 0, waitMs });
    const retryAfterMs =
      cost > limit ? Infinity : leastWait((ms) => waitOf(nowMs + ms, cost, limit) !== Infinity);
    return verdict(nowMs, limit, { allowed, retryAfterMs, waitMs: 0 });
  };

  return {
    check: (nowMs, cost, limit = rule.limit) => ask(nowMs, cost, limit, true),
    peek: (nowMs, cost, limit = rule.limit) => ask(nowMs, cost, limit, false),
    charge: (nowMs, cost) => {
      if (cost > 0) hits.push({ atMs: nowMs, cost, refused: false, refunded: 0 });
      return verdict(nowMs, rule.limit, { allowed: true, retryAfterMs: 0, waitMs: 0 });
    },
    refund: (_nowMs, hitAtMs, cost) => {
      let left = cost;
      for (const hit of hits) {
        if (hit.atMs !== hitAtMs || hit.refused) continue;
        const back = Math.min(left, hit.cost - hit.refunded);
        hit.refunded += back;
        left -= back;
      }
    },
  };
}

/** The units of the allowed hits that still count. */
export function countedUnits(hits: readonly OracleHit[]): bigint {
  return hits
    .filter((hit) => !hit.refused)
    .reduce((sum, hit) => sum + BigInt(hit.cost - hit.refunded), 0n);
}
