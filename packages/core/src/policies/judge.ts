/**
 * The rule that all policies share, as a pure function of a view.
 *
 * Policies differ only in what counts as used and in how that falls over time; the view provides
 * both. Levels are whole numbers of 1/scale hits, so comparisons are exact. A hit is allowed if
 * what is used and its cost fit the limit.
 */

import type { PolicyResult } from "../base/decision.ts";

/** What is known of one key at one instant, seen through one policy. */
export interface View {
  /** What counts, in units of 1/scale hits. */
  readonly usedUnits: number;
  /** How many units make a hit. */
  readonly scale: number;
  /** The most that rounding may be off by, in units; 0 where nothing is rounded. */
  readonly slack: number;
  /** How long a hit that does not fit may be delayed instead of being refused. */
  readonly maxWaitMs: number;
  /**
   * How long until at most `target` units are used without further hits; infinite if time does not
   * help.
   */
  msUntilAtMost(target: number): number;
  /** How long until nothing is used, if `cost` hits are added now and no further ones. */
  msUntilEmptyAfter(cost: number): number;
}

/** The result of a policy, reused for every decision. */
export type Verdict = { -readonly [Field in keyof PolicyResult]: PolicyResult[Field] };

/** Whether so much of a limit is used that hits on their way from other replicas matter. */
export function isNearlyFull(used: number, limit: number): boolean {
  return 4 * used >= 3 * limit;
}

/** An empty verdict. */
export function blankVerdict(policy: string): Verdict {
  return {
    policy,
    allowed: true,
    limit: 0,
    used: 0,
    remaining: 0,
    resetMs: 0,
    retryAfterMs: 0,
    waitMs: 0,
  };
}

/**
 * Decides whether `limit` allows `cost` hits. With `counts`, allowed hits are reported as counted,
 * and the caller must then count them.
 */
export function judge(
  view: View,
  cost: number,
  limit: number,
  counts: boolean,
  verdict: Verdict,
): void {
  const fitting = (limit - cost) * view.scale;
  verdict.limit = limit;
  verdict.waitMs = 0;
  verdict.retryAfterMs = 0;
  verdict.allowed = view.usedUnits <= fitting + view.slack && cost <= limit;
  if (!verdict.allowed) {
    const waitMs = cost > limit ? Number.POSITIVE_INFINITY : view.msUntilAtMost(fitting);
    if (waitMs <= view.maxWaitMs) {
      verdict.allowed = true;
      verdict.waitMs = waitMs;
    } else {
      verdict.retryAfterMs = waitMs - view.maxWaitMs;
    }
  }
  report(view, counts && verdict.allowed ? cost : 0, verdict);
}

/** Reports the state after `cost` more hits, whether or not they fit. */
export function report(view: View, cost: number, verdict: Verdict): void {
  const { scale, slack } = view;
  const units = view.usedUnits + cost * scale;
  let used = units;
  let remaining = verdict.limit - units;
  if (scale !== 1) {
    used = Math.ceil((units - slack) / scale);
    remaining = Math.floor((verdict.limit * scale - units + slack) / scale);
  }
  verdict.used = used > 0 ? used : 0;
  verdict.remaining = remaining > 0 ? remaining : 0;
  verdict.resetMs = view.msUntilEmptyAfter(cost);
}
