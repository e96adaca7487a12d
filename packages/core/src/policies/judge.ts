/**
 * The rule that all policies share, as a pure function of a view.
 *
 * A policy differs from another only in what it counts as held and in how that falls with time; the
 * view says both. Levels are whole numbers of 1/scale hits, so that comparisons are exact: a hit
 * passes if what is held and its cost fit the limit.
 */

import type { PolicyResult } from "../base/decision.ts";

/** What is known of one key at one instant, seen through one policy. */
export interface View {
  /** What counts, in units of 1/scale hits. */
  readonly held: number;
  /** How many units make a hit. */
  readonly scale: number;
  /** Units that rounding may be off by; 0 where nothing is rounded. */
  readonly slack: number;
  /** How long a hit that does not fit may be held back instead of being refused. */
  readonly maxWaitMs: number;
  /** How long until at most `target` units are held, if nobody hits; infinite if time does not help. */
  msUntilAtMost(target: number): number;
  /** How long until nothing is held, if `cost` hits are added now and nobody hits after that. */
  msUntilEmptyAfter(cost: number): number;
}

/** A policy's result that is used again for every decision. */
export type Verdict = { -readonly [Field in keyof PolicyResult]: PolicyResult[Field] };

/** A verdict that says nothing yet. */
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
 * Decides whether `cost` hits pass `limit`. With `counts`, hits that pass are reported as counted,
 * which the caller then must do.
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
  verdict.allowed = view.held <= fitting + view.slack && cost <= limit;
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

/** Says how things are once `cost` more hits have been counted, whether or not they fit. */
export function report(view: View, cost: number, verdict: Verdict): void {
  const { scale, slack } = view;
  const held = view.held + cost * scale;
  let used = held;
  let remaining = verdict.limit - held;
  if (scale !== 1) {
    used = Math.ceil((held - slack) / scale);
    remaining = Math.floor((verdict.limit * scale - held + slack) / scale);
  }
  verdict.used = used > 0 ? used : 0;
  verdict.remaining = remaining > 0 ? remaining : 0;
  verdict.resetMs = view.msUntilEmptyAfter(cost);
}
