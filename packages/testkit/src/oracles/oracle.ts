/**
 * What the references for the policies have in common: a list of every hit, and a level made of it.
 *
 * A reference is right because it is obvious. It keeps every hit for ever, recomputes the level from
 * the first one at each question, and finds every wait by trying. Levels are exact integers of a
 * unit small enough for the policy. Nothing here may be made faster at the price of a second look.
 */

import { leastWait } from "./least-wait.ts";

/** What a reference answers; `used` and `remaining` are those after the call. */
export interface OracleVerdict {
  readonly allowed: boolean;
  /** What counts against the limit now, rounded up. */
  readonly used: number;
  /** What is left of the limit, rounded down and never below zero. */
  readonly remaining: number;
  /** The smallest wait after which nothing counts any more, if nobody else hits. */
  readonly resetMs: number;
  /** The smallest wait after which the same check passes, `Infinity` if none does; 0 if allowed. */
  readonly retryAfterMs: number;
  /** How long an allowed hit has to wait before it goes on: only of a bucket that shapes. */
  readonly waitMs: number;
}

/** The reference for one policy and one key. Times must not go back from call to call. */
export interface Oracle {
  /** Asks, and counts if allowed. */
  check(nowMs: number, cost: number, limit?: number): OracleVerdict;
  /** Asks only. */
  peek(nowMs: number, cost: number, limit?: number): OracleVerdict;
  /** Counts without asking, beyond the limit if need be; its verdict is always `allowed`. */
  charge(nowMs: number, cost: number): OracleVerdict;
  /** Takes back up to `cost` of what was counted at exactly `hitAtMs`, if it still matters. */
  refund(nowMs: number, hitAtMs: number, cost: number): void;
}

/** One hit as it happened. */
export interface OracleHit {
  readonly atMs: number;
  readonly cost: number;
  readonly refused: boolean;
  refunded: number;
}

/** A policy, as the level that a list of hits has reached at a time. */
export interface OracleRule {
  readonly limit: number;
  /** How many units of the level one hit of cost 1 is. */
  readonly unitsPerHit: bigint;
  /** The level at `atMs`, in units. */
  level(hits: readonly OracleHit[], atMs: number): bigint;
  /** Lets in hits above the limit that wait until what exceeds it has drained; absent: none. */
  readonly shaping?: { readonly maxWaitMs: number; waitMs(excess: bigint): number };
}

/** Makes the reference out of its rule. */
export function createOracle(rule: OracleRule): Oracle {
  const hits: OracleHit[] = [];
  const unitsOf = (count: number): bigint => BigInt(count) * rule.unitsPerHit;

  /** How long a hit would have to wait at `atMs`, `Infinity` if it may not pass at all. */
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

/** What still counts of the hits that were let in. */
export function countedUnits(hits: readonly OracleHit[]): bigint {
  return hits
    .filter((hit) => !hit.refused)
    .reduce((sum, hit) => sum + BigInt(hit.cost - hit.refunded), 0n);
}
