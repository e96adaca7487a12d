/**
 * The whole way of a request through most gates, in one step: nothing but its address decides what it
 * is counted for, and a limiter of ours answers at once.
 *
 * A passage would do the same, in as many calls as it has questions to ask.
 */

import type { Limiter } from "../limiter.ts";
import type { Ipv6Subnet } from "./address-key.ts";
import { conclude, isFollowed } from "./conclude.ts";
import { isPreflight } from "./cors.ts";
import type { GatePlan } from "./gate-plan.ts";
import type { Passing } from "./refusal.ts";

/** Whether no question of a plan is to be asked of anybody. */
export function isStraight<Request, Response>(plan: GatePlan<Request, Response>): boolean {
  const { skip, key, subnet, block, allow, windowMs, limit, username, cost, afterwards } = plan;
  const { counter, limiter } = plan.budgets.usual;
  const countIf = afterwards?.countIf ?? null;
  const steps = [skip, key, block, allow, windowMs, limit, username, countIf];
  return (
    steps.every((step) => step === null) &&
    typeof subnet !== "function" &&
    typeof cost === "number" &&
    counter === limiter
  );
}

export function goStraight<Request, Response>(
  plan: GatePlan<Request, Response>,
  request: Request,
  response: Response,
): Passing {
  if (plan.letsPreflightsPass && isPreflight(plan.framework, request)) return null;
  const key = plan.client.key(request, plan.subnet as Ipv6Subnet);
  if (key === null) return null;
  const budget = plan.budgets.usual;
  const cost = plan.cost as number;
  const verdict = (budget.limiter as Limiter).check(key, cost);
  const followed = isFollowed(plan, budget, verdict) ? [{ budget, key, cost, verdict }] : null;
  return conclude(plan, request, response, budget, key, verdict, followed);
}
