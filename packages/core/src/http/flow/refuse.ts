/**
 * A refusal as far as it is the same in every framework: status, wait, and that nobody keeps it.
 *
 * There is exactly one Retry-After, in whole seconds and never 0. It is what clients steer by, so it is
 * sent whatever other headers are switched off, and scripts may read it wherever they may read fields.
 */

import type { PolicyResult } from "../../decision.ts";
import { exposeHeaders } from "../headers/cors.ts";
import { isThenable, type MaybePromise } from "../maybe-promise.ts";
import type { Cost, GatePlan } from "./gate-plan.ts";
import type { RefusedBy } from "./problem.ts";
import type { Outcome, Refusal } from "./refusal.ts";
import type { RequestContext } from "./request-context.ts";

const RETRY_AFTER = "Retry-After";

export function refusalOf<Request, Response>(
  context: RequestContext<Request, Response>,
  reason: RefusedBy,
): Refusal {
  const { plan, key, verdict, budget, cost } = context;
  const status = statusOf(reason, plan.statusCode);
  let seconds = reason === "list" ? 0 : 1;
  let neverPasses = false;
  const names: string[] = [];
  if (verdict !== null) {
    const results: readonly PolicyResult[] = verdict.results ?? [verdict];
    const shown = context.names ?? budget.names;
    results.forEach((result, index) => {
      if (result.allowed) return;
      const quota = budget.quotas[index]!;
      seconds = Math.max(seconds, quota.retryAfterSeconds(result));
      if (reason === "limit" && isAbove(cost, result)) neverPasses = true;
      names.push(shown[index]!);
    });
  }
  if (neverPasses) seconds = 0;
  const unit = plan.retryAfterUnit;
  const because = neverPasses ? "cost" : reason;
  return {
    reason,
    status,
    retryAfterSeconds: unit === 1 ? seconds : Math.ceil(seconds / unit) * unit,
    key,
    verdict,
    neverPasses,
    problem: plan.problems === null ? null : plan.problems.body(because, status, names),
    enforced: !plan.dryRun,
  };
}

/** Whether a cost is above a limit; of a limit of 0 it is the limit that lets nothing pass. */
function isAbove(cost: Cost, { policy, limit }: PolicyResult): boolean {
  return limit > 0 && (typeof cost === "number" ? cost : (cost[policy] ?? 1)) > limit;
}

/** The wait that the user wants to be sent; null where the refusal's own is sent, or none helps. */
export function retryAfterOf<Request, Response>(
  { plan: { retryAfter, dryRun }, request, response }: RequestContext<Request, Response>,
  { neverPasses }: Refusal,
): MaybePromise<number> | null {
  if (dryRun || neverPasses) return null;
  return typeof retryAfter === "function" ? retryAfter(request, response) : retryAfter;
}

/**
 * Writes the headers of a refusal, and hands it on to the adapter; a dry run only tells of it.
 *
 * @param retryAfter the wait in seconds that the user wants to be sent instead; null for none
 */
export function refuse<Request, Response>(
  { plan, request, response }: RequestContext<Request, Response>,
  refusal: Refusal,
  retryAfter: unknown,
): Outcome {
  if (plan.dryRun) {
    announce(plan, request, response, refusal);
    return null;
  }
  return send(plan, response, retryAfter === null ? refusal : withWait(plan, refusal, retryAfter));
}

/**
 * Tells whoever wants to know of refusals. What that leads to is no part of the request, unless the
 * limiter replaced let it throw an answer of its own.
 */
export function announce<Request, Response>(
  plan: GatePlan<Request, Response>,
  request: Request,
  response: Response,
  refusal: Refusal,
): void {
  const { onLimited, limitedMayThrow, warnings } = plan;
  if (onLimited === null) return;
  // These are no limits, but a dry run has no other way to show whom it would keep out.
  const isLimit = refusal.reason !== "list" && refusal.reason !== "error";
  if (!isLimit && refusal.enforced) return;
  const fail = (error: unknown) => warnings.say("TIDEGATE_AFTERWARDS_FAILED", "", error);
  try {
    const pending = onLimited(request, response, refusal);
    if (isThenable(pending)) pending.then(undefined, fail);
  } catch (error) {
    if (limitedMayThrow && refusal.enforced) throw error;
    fail(error);
  }
}

function send<Request, Response>(
  plan: GatePlan<Request, Response>,
  response: Response,
  refusal: Refusal,
): Refusal {
  const { framework, exposed } = plan;
  if (framework.headersSent(response)) return refusal;
  if (plan.sendsRetryAfter && refusal.retryAfterSeconds > 0) {
    const before = Number(framework.header(response, RETRY_AFTER) ?? 0);
    const seconds = Math.max(refusal.retryAfterSeconds, Number.isSafeInteger(before) ? before : 0);
    framework.setHeader(response, RETRY_AFTER, String(seconds));
  }
  if (exposed !== null) exposeHeaders(framework, response, exposed);
  framework.setHeader(response, "Cache-Control", "no-store");
  for (const name of ["Expires", "ETag", "Last-Modified"]) framework.removeHeader(response, name);
  return refusal;
}

/** The refusal with the wait that the user says, if it is one. */
function withWait<Request, Response>(
  plan: GatePlan<Request, Response>,
  refusal: Refusal,
  seconds: unknown,
): Refusal {
  if (Number.isSafeInteger(seconds) && (seconds as number) >= 1) {
    return { ...refusal, retryAfterSeconds: seconds as number };
  }
  plan.warnings.say("TIDEGATE_RETRY_AFTER_INVALID");
  return refusal;
}

function statusOf(reason: RefusedBy, usual: number): number {
  switch (reason) {
    case "list":
      return 403;
    case "partition":
    case "error":
      return 503;
    default:
      return usual;
  }
}
