/**
 * The life of a request, from the first step to the work at its end. Read this file first.
 *
 * A user's function may return a value or a promise, so the flow is written as `Steps`: it yields
 * promises and nothing else. Steps that the user did not configure are null in the plan.
 */

import { SLIDING_LOG_LIMIT_MAX } from "../../policies/sliding-log.ts";
import { type AddressList, checkSubnet, type Ipv6Subnet } from "../client/client-address.ts";
import { countedKey, type KeyAnswer, nameOf, shownKeyOf } from "../client/client-key.ts";
import type { Verdict } from "../counter.ts";
import type { Framework } from "../framework.ts";
import { exposeHeaders, omitFields } from "../headers/exposure.ts";
import { type Fields, isFieldText, limitOf } from "../headers/fields.ts";
import { numberIn } from "../numeric-text.ts";
import {
  type AskedWithKey,
  type Cost,
  isThenable,
  type MaybePromise,
  type ShownKey,
  type Steps,
} from "../user-functions.ts";
import type { Warnings } from "../warnings.ts";
import { awaitEnd, checkArguments } from "./aftermath.ts";
import type { UsernamePlan } from "./gate-plan.ts";
import type { RefusedBy } from "./problem.ts";
import { type Outcome, refusalOf, refuse, retryAfterOf } from "./refusal.ts";
import { hitOf, type RequestContext } from "./request-context.ts";

/** Bodies that body parsers read. */
const PARSED = /json|x-www-form-urlencoded/i;

/** Null allows the request. */
export function* requestFlow<Request, Response>(
  context: RequestContext<Request, Response>,
): Steps<Outcome> {
  const { plan, request, response } = context;

  // Requests that are not limited.
  if (plan.letsPreflightsPass && isPreflight(plan.framework, request)) return null;
  const skips = plan.skip === null ? false : plan.skip(request, response);
  if (isThenable(skips) ? yield skips : skips) return null;

  // The key: the answer of the user's function, or the address.
  const answer = plan.key === null ? null : plan.key(request, response);
  const given = isThenable(answer) ? yield answer : answer;
  const isCounted = given !== false;
  if (isCounted && plan.key !== null) context.key = keyIn(context, given);
  if (isCounted && context.key === null) {
    const subnet = subnetOf(context);
    context.key = addressKey(context, isThenable(subnet) ? yield subnet : subnet);
    if (context.key === null) return plan.needsAddress ? refuseFor(context, "address") : null;
  }

  // The lists: clients that are always refused, and clients that are never limited.
  const blocked = plan.block === null ? false : isIn(context, plan.block);
  const isBlocked: unknown = isThenable(blocked) ? yield blocked : blocked;
  if (isBlocked || (plan.blocksGone && plan.client.isGone(request))) {
    return refuseFor(context, "list");
  }
  if (!isCounted) return null;
  const allowed = plan.allow === null ? false : isIn(context, plan.allow);
  if (isThenable(allowed) ? yield allowed : allowed) return null;

  // What to count: in which window, up to which limit, and at which cost.
  if (plan.windowMs !== null) {
    const windowMs = ask(context, plan.windowMs);
    setWindow(context, isThenable(windowMs) ? yield windowMs : windowMs);
  }
  if (plan.limit !== null) {
    const limit = ask(context, plan.limit);
    setLimit(context, isThenable(limit) ? yield limit : limit);
  }
  const cost = typeof plan.cost === "function" ? ask(context, plan.cost) : plan.cost;
  setCost(context, isThenable(cost) ? yield cost : cost);

  // The decision. A login is counted by user name too.
  const counted = count(context);
  context.verdict = isThenable(counted) ? yield counted : counted;
  if (plan.username !== null && context.verdict?.allowed) yield* checkName(context, plan.username);
  if (context.verdict === null) return null;

  // The response's fields, and the work at its end.
  followEnd(context);
  if (plan.identifier !== null && canWriteFields(context)) {
    const name = plan.identifier(request, response);
    context.policyName = isThenable(name) ? yield name : name;
  }
  if (plan.partition !== null && canWriteFields(context)) {
    const partition = plan.partition(request, response, context.key as ShownKey);
    context.partition = isThenable(partition) ? yield partition : partition;
  }
  writeFields(context);

  // The request is allowed, at once or after a delay, or it is refused.
  if (context.verdict.allowed) {
    const turn = turnOf(context);
    return isThenable(turn) ? yield turn : turn;
  }
  const refusal = refusalOf(context, context.verdict.reason ?? "limit");
  const retryAfter = retryAfterOf(context, refusal);
  return refuse(context, refusal, isThenable(retryAfter) ? yield retryAfter : retryAfter);
}

/**
 * With the preset `login` both budgets must allow the hit: if the second refuses, the first is
 * refunded.
 */
function* checkName<Request, Response>(
  context: RequestContext<Request, Response>,
  username: UsernamePlan<Request, Response>,
): Steps<void> {
  const { plan, request, response } = context;
  const byAddress = hitOf(context);
  const name = username.of(request, response);
  const key = nameOf(isThenable(name) ? yield name : name);
  if (key === null) {
    sayUnreadBody(plan.framework, request, plan.warnings);
    return;
  }
  context.key = key;
  context.budget = username.budget;
  if (username.limit !== null) {
    const limit = ask(context, username.limit);
    setLimit(context, isThenable(limit) ? yield limit : limit, SLIDING_LOG_LIMIT_MAX);
  }
  const counted = count(context);
  context.verdict = isThenable(counted) ? yield counted : counted;
  if (context.verdict === null) return;
  if (context.verdict.allowed) {
    context.hits = [byAddress, hitOf(context)];
    return;
  }
  const { budget, cost, verdict } = byAddress;
  void budget.counter.refund(byAddress.key, typeof cost === "number" ? cost : 1, verdict);
}

/** Calls a user's function that receives the key. */
function ask<Request, Response, Answer>(
  { request, response, key }: RequestContext<Request, Response>,
  question: AskedWithKey<Request, Response, Answer>,
): MaybePromise<Answer> {
  return question(request, response, key ?? "");
}

/** The key in the answer of the user's function; null if there is none, and the address is used. */
function keyIn<Request, Response>(
  { plan: { client, warnings }, request }: RequestContext<Request, Response>,
  answer: KeyAnswer,
): ShownKey | null {
  const key = shownKeyOf(answer);
  if (key !== null) client.watchAnswer(answer);
  else if (!client.isGone(request)) warnings.say("TIDEGATE_KEY_EMPTY");
  return key;
}

/**
 * How many bits of an IPv6 address count; the user's function is not called for other addresses.
 */
function subnetOf<Request, Response>({
  plan: { subnet, client },
  request,
  response,
}: RequestContext<Request, Response>): MaybePromise<Ipv6Subnet> {
  if (typeof subnet !== "function") return subnet;
  const isIpv6 = client.text(request)?.includes(":") === true;
  return isIpv6 ? subnet(request, response) : false;
}

/** The key of the address; null where there is none, or none that a login may count by. */
function addressKey<Request, Response>(
  { plan, request }: RequestContext<Request, Response>,
  subnet: Ipv6Subnet,
): string | null {
  const { client, needsAddress, subnetRange } = plan;
  if (typeof plan.subnet === "function") checkSubnet("ipv6Subnet", subnet, ...subnetRange);
  if (needsAddress && client.isGone(request)) return null;
  return client.key(request, subnet);
}

function isIn<Request, Response>(
  context: RequestContext<Request, Response>,
  list: AddressList | AskedWithKey<Request, Response, unknown>,
): MaybePromise<unknown> {
  if (typeof list === "function") return ask(context, list);
  const { plan, key, request } = context;
  const addresses = list.hasAddresses ? plan.client.listed(request) : [];
  return list.has(key === null ? null : countedKey(key), addresses);
}

function setWindow<Request, Response>(
  context: RequestContext<Request, Response>,
  windowMs: number,
): void {
  const { budgets, warnings } = context.plan;
  context.budget = budgets.ofWidth(numberIn("windowMs", windowMs, warnings));
}

/** @param most the largest possible limit, for clients without one */
function setLimit<Request, Response>(
  context: RequestContext<Request, Response>,
  answer: Cost,
  most = Number.POSITIVE_INFINITY,
): void {
  const limit = numberIn("limit", answer, context.plan.warnings);
  if (typeof limit === "object" && limit !== null) {
    context.limit = limit;
    return;
  }
  const applied = Math.min(limitOf("limit", limit), most);
  // A check without a limit is faster, so the limiter's own limit is not passed.
  const policies = context.budget.limiter?.policies;
  const isOwn = policies?.length === 1 && policies[0]!.limit === applied;
  if (!isOwn) context.limit = applied;
}

function setCost<Request, Response>(context: RequestContext<Request, Response>, cost: Cost): void {
  // A refund must equal the hit, so later changes of the user's object must not matter.
  context.cost = typeof cost === "object" && cost !== null ? { ...cost } : cost;
}

/** Asks the limiter, which counts; with `countIf` it only peeks, and counts at the end. */
function count<Request, Response>({
  plan,
  budget: { counter },
  key: shown,
  limit,
  cost,
}: RequestContext<Request, Response>): MaybePromise<Verdict | null> {
  const { afterwards, enforces } = plan;
  const key = countedKey(shown as ShownKey);
  const onlyLooks = afterwards !== null && afterwards.countIf !== null;
  if (enforces && limit === undefined && typeof cost === "number") {
    return onlyLooks ? counter.peek(key, cost) : counter.check(key, cost);
  }
  const [units, weights] = checkArguments(cost);
  const options = {
    ...weights,
    ...(limit !== undefined && { limit }),
    ...(!enforces && { enforced: false }),
  };
  return onlyLooks ? counter.peek(key, units, options) : counter.check(key, units, options);
}

/**
 * Waits for the end of a response if something depends on it, and then calls the adapter's
 * `onVerdict`. The order matters: if the adapter throws, the end of the response still refunds and
 * releases.
 */
export function followEnd<Request, Response>(context: RequestContext<Request, Response>): void {
  const { plan, request, response, budget, key } = context;
  const { afterwards, onVerdict } = plan;
  const verdict = context.verdict as Verdict;
  const isFollowed = verdict.allowed
    ? afterwards !== null || budget.holdsPermits
    : afterwards?.countsRefused === true;
  if (isFollowed) awaitEnd(context);
  onVerdict?.(request, response, verdict, key as ShownKey);
}

/** Whether fields may be written: not in a dry run, and not after the headers were sent. */
function canWriteFields<Request, Response>({
  plan,
  response,
  budget,
}: RequestContext<Request, Response>): boolean {
  return budget.fields !== null && !plan.dryRun && !plan.framework.headersSent(response);
}

/**
 * Writes the response's fields: with the user's policy name and partition key, readable for
 * scripts, and omitted where they are not wanted.
 */
export function writeFields<Request, Response>(context: RequestContext<Request, Response>): void {
  if (!canWriteFields(context)) return;
  const { plan, response, budget, policyName, partition } = context;
  const { framework, exposed, omit, warnings } = plan;
  const fields = budget.fields as Fields;
  const verdict = context.verdict as Verdict;
  let name: string | null = null;
  if (policyName !== null) {
    if (isFieldText(policyName) && policyName !== "") name = policyName;
    else warnings.say("TIDEGATE_FIELD_NAME_INVALID");
  }
  context.names = fields.write(framework, response, verdict, name, partition);
  // A refusal exposes its headers itself, because it has some even without fields.
  if (!verdict.allowed) return;
  if (exposed !== null) exposeHeaders(framework, response, exposed);
  if (omit !== null) omitFields(framework, response, omit, fields.exposedNames());
}

/** Refuses a request without asking a limiter. */
function refuseFor<Request, Response>(
  context: RequestContext<Request, Response>,
  reason: RefusedBy,
): Outcome {
  return refuse(context, refusalOf(context, reason), null);
}

/**
 * When an allowed request may continue: at once, or when its bucket allows it. The delay does not
 * depend on whether the client is still connected: the request is allowed, and the application
 * decides what to do then.
 */
export function turnOf<Request, Response>({
  verdict,
  plan,
}: RequestContext<Request, Response>): MaybePromise<null> {
  const { waitMs = 0 } = verdict ?? {};
  if (waitMs === 0 || plan.dryRun) return null;
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), waitMs);
  });
}

/**
 * Whether the request is a CORS preflight. It is allowed, because a browser treats any other status
 * than success as a broken network.
 */
export function isPreflight<Request, Response>(
  framework: Framework<Request, Response>,
  request: Request,
): boolean {
  return (
    framework.method(request) === "OPTIONS" &&
    framework.requestHeader(request, "origin") !== undefined &&
    framework.requestHeader(request, "access-control-request-method") !== undefined
  );
}

/**
 * Warns if a request without a user name has a body that parsers read, and nothing has parsed it. A
 * missing name alone is no mistake of the application, because robots send arbitrary requests.
 */
function sayUnreadBody<Request, Response>(
  framework: Framework<Request, Response>,
  request: Request,
  warnings: Warnings,
): void {
  if (framework.body === undefined || framework.body(request) !== undefined) return;
  const header = (name: string): string => framework.requestHeader(request, name) ?? "";
  const hasBody = Number(header("content-length")) > 0 || header("transfer-encoding") !== "";
  if (hasBody && PARSED.test(header("content-type"))) warnings.say("TIDEGATE_BODY_UNREAD");
}
