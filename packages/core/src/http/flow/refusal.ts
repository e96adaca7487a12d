/**
 * The parts of a refusal that all frameworks share: its status, its wait, and the header against
 * caching.
 *
 * There is exactly one Retry-After, in whole seconds and never 0. Clients depend on it, so it is
 * sent even when other headers are switched off, and scripts may read it wherever they may read
 * fields.
 */

import type { PolicyResult } from "../../base/decision.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../base/options.ts";
import type { Verdict } from "../counter.ts";
import { exposeHeaders } from "../headers/exposure.ts";
import { type Cost, isThenable, type MaybePromise, type ShownKey } from "../user-functions.ts";
import type { GatePlan } from "./gate-plan.ts";
import type { RefusedBy } from "./problem.ts";
import type { RequestContext } from "./request-context.ts";

export interface Refusal {
  readonly reason: RefusedBy;
  readonly status: number;
  /** The wait in seconds, as sent in Retry-After; 0 when no wait helps and none was sent. */
  readonly retryAfterSeconds: number;
  readonly key: ShownKey | null;
  /** Null if no limiter decided. */
  readonly verdict: Verdict | null;
  /** Whether the cost is above the whole limit, so that no wait helps. */
  readonly neverPasses: boolean;
  /**
   * A body of type `application/problem+json` with the preset `api`; otherwise null, for the
   * framework's usual body.
   */
  readonly problem: string | null;
  /** False in a dry run: the request is allowed, and only `onLimited` sees the refusal. */
  readonly enforced: boolean;
}

/** Null allows the request. */
export type Outcome = Refusal | null;

export type EventualOutcome = Outcome | Promise<Outcome>;

export const PROBLEM_TYPE = "application/problem+json";

const RETRY_AFTER = "Retry-After";

const UNITS: readonly (readonly [string, number])[] = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
  ["second", SECOND],
];

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

/**
 * Whether a cost is above the limit. With a limit of 0, the limit and not the cost is the cause.
 */
function isAbove(cost: Cost, { policy, limit }: PolicyResult): boolean {
  return limit > 0 && (typeof cost === "number" ? cost : (cost[policy] ?? 1)) > limit;
}

/** The wait that the user chose; null for the refusal's own, or when no wait helps. */
export function retryAfterOf<Request, Response>(
  { plan: { retryAfter, dryRun }, request, response }: RequestContext<Request, Response>,
  { neverPasses }: Refusal,
): MaybePromise<number> | null {
  if (dryRun || neverPasses) return null;
  return typeof retryAfter === "function" ? retryAfter(request, response) : retryAfter;
}

/**
 * Writes the headers of a refusal and passes it to the adapter; a dry run only reports it.
 *
 * @param retryAfter the wait in seconds that the user chose; null for none
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
 * Calls `onLimited`. Its result does not affect the request, unless the replaced limiter let
 * `onLimited` throw a response of its own.
 */
export function announce<Request, Response>(
  plan: GatePlan<Request, Response>,
  request: Request,
  response: Response,
  refusal: Refusal,
): void {
  const { onLimited, limitedMayThrow, warnings } = plan;
  if (onLimited === null) return;
  // Lists and failures are not limits, but only a dry run can show which clients they would refuse.
  if (!isByLimit(refusal) && refusal.enforced) return;
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

/** The refusal with the wait that the user chose, if any. */
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

/** Whether a limit or a mark refuses. Users' own bodies are not meant for lists and failures. */
export function isByLimit({ reason }: Refusal): boolean {
  return reason !== "list" && reason !== "error";
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

/**
 * A wait in words, rounded to its largest unit: `1 minute`, `2 hours`, `350 ms`. The plural begins
 * at one and a half.
 */
export function durationText(ms: number): string {
  for (const [name, unitMs] of UNITS) {
    if (ms >= unitMs) return `${Math.round(ms / unitMs)} ${name}${ms >= 1.5 * unitMs ? "s" : ""}`;
  }
  return `${ms} ms`;
}
