/**
 * What a verdict leads to: what is waited for, what the response says of it, and what becomes of the
 * request.
 */

import { awaitEnd, type Hit } from "./aftermath.ts";
import type { Budget } from "./budget.ts";
import type { ShownKey } from "./client-key.ts";
import type { Cost, GatePlan } from "./gate-plan.ts";
import type { Passing } from "./refusal.ts";
import { refusalOf, refuse } from "./refuse.ts";
import { tellFields } from "./tell-fields.ts";
import type { Verdict } from "./verdict.ts";

/** Whether something is to be done about a hit once its response has ended. */
export function isFollowed<Request, Response>(
  { afterwards }: GatePlan<Request, Response>,
  { holdsPlaces }: Budget,
  { allowed }: Verdict,
): boolean {
  if (allowed) return afterwards !== null || holdsPlaces;
  return afterwards?.countsRefused === true;
}

/** @param followed hits that the response's end decides about; null for none */
export function conclude<Request, Response>(
  plan: GatePlan<Request, Response>,
  request: Request,
  response: Response,
  budget: Budget,
  key: ShownKey,
  cost: Cost,
  verdict: Verdict,
  followed: readonly Hit[] | null,
): Passing {
  if (followed !== null) awaitEnd(plan, request, response, followed);
  // It may throw, and what has been taken must come back all the same.
  plan.onVerdict?.(request, response, verdict, key);
  const { fields } = budget;
  const telling =
    fields === null ? null : tellFields(plan, request, response, fields, key, verdict);
  return telling instanceof Promise
    ? telling.then((names) => outcome(plan, request, response, budget, key, cost, verdict, names))
    : outcome(plan, request, response, budget, key, cost, verdict, telling);
}

/** @param names what fields call the policies, if there are any that do */
function outcome<Request, Response>(
  plan: GatePlan<Request, Response>,
  request: Request,
  response: Response,
  budget: Budget,
  key: ShownKey,
  cost: Cost,
  verdict: Verdict,
  names: readonly string[] | null,
): Passing {
  if (verdict.allowed) {
    const { waitMs } = verdict;
    return waitMs === 0 || plan.dryRun ? null : later(waitMs);
  }
  const reason = verdict.reason ?? "limit";
  const refusal = refusalOf(plan, { reason, key, verdict, budget, names, cost });
  return refuse(plan, request, response, refusal);
}

/**
 * Holds a request back so that it leaves at the rate of its bucket, its client there or not: it was let
 * through, and what to do for nobody is not for a limiter to say.
 */
function later(waitMs: number): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), waitMs);
  });
}
