/**
 * The request flow in one step, for gates without users' functions: the address alone gives the
 * key, and a limiter of ours answers at once.
 *
 * It must do exactly what `requestFlow` does; `fast-path.property.test.ts` compares the two. What
 * it saves is in docs/decisions/request-flow.md.
 */

import type { GatePlan } from "./gate-plan.ts";
import { type EventualOutcome, refusalOf, refuse, retryAfterOf } from "./refusal.ts";
import { RequestContext } from "./request-context.ts";
import { followEnd, isPreflight, turnOf, writeFields } from "./request-flow.ts";

/** The answer to a request, as `Gate.enter` gives it. */
export type FastPath<Request, Response> = (request: Request, response: Response) => EventualOutcome;

/** The fast path of a plan; null where the plan needs `requestFlow`. */
export function fastPathOf<Request, Response>(
  plan: GatePlan<Request, Response>,
): FastPath<Request, Response> | null {
  const { counter, limiter, fields, holdsPermits } = plan.budgets.usual;
  const { client, skip, subnet, block, allow, windowMs, limit, cost, username } = plan;
  const { identifier, partition, retryAfter, afterwards, onVerdict } = plan;
  const before = [skip, plan.key, block, allow, windowMs, limit, username];
  const after = [identifier, partition, afterwards?.countIf ?? null];
  if ([...before, ...after].some((asked) => asked !== null)) return null;
  if (typeof subnet === "function" || typeof cost === "function") return null;
  if (typeof retryAfter === "function" || !plan.enforces) return null;
  if (limiter === null || counter !== limiter) return null;
  /** Whether an allowed request needs no fields and no work at its end. */
  const leavesNoTrace =
    afterwards === null && onVerdict === null && fields === null && !holdsPermits;

  return (request, response) => {
    if (plan.letsPreflightsPass && isPreflight(plan.framework, request)) return null;
    const key = client.key(request, subnet);
    if (key === null) return null;
    const verdict = limiter.check(key, cost);
    if (leavesNoTrace && verdict.allowed && verdict.waitMs === 0) return null;

    const context = new RequestContext(plan, request, response);
    context.key = key;
    context.cost = cost;
    context.verdict = verdict;
    followEnd(context);
    writeFields(context);
    if (verdict.allowed) return turnOf(context) as EventualOutcome;
    const refusal = refusalOf(context, verdict.reason ?? "limit");
    return refuse(context, refusal, retryAfterOf(context, refusal));
  };
}
