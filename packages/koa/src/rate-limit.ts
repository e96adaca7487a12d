/**
 * The middleware: asks the gate about each request, and sends refusals through Koa.
 *
 * An allowed request continues in the same tick, unless a user's function returns a promise. A
 * refusal keeps every header that was set before it, even when it is thrown.
 */

import { STATUS_CODES } from "node:http";
import {
  durationText,
  type EventualOutcome,
  isByLimit,
  NEVER_PASSES,
  type NeededBy,
  type Outcome,
  PROBLEM_TYPE,
  type Preset,
  type Refusal,
  showLimiters,
} from "@tidegate/core/http";
import type { Context, Next } from "koa";
import type { Options, RateLimitMiddleware, RateLimitState } from "./options.ts";
import { type Settings, translate } from "./translate.ts";

/** Headers that Koa replaces for a thrown error. */
const OF_THE_BODY = ["content-type", "content-length", "content-encoding", "transfer-encoding"];

/**
 * Makes a middleware that limits how often clients may send requests.
 *
 * @example
 * app.use(rateLimit({ duration: 15 * MINUTE, max: 100 }));
 */
export function rateLimit<const Chosen extends Preset>(
  options?: Options & { readonly preset?: Chosen | undefined } & NeededBy<
      Chosen,
      "policies" | "max" | "limit"
    >,
): RateLimitMiddleware {
  const settings = translate(options);
  const { gate } = settings;
  const { followsEnds } = gate;

  function middleware(context: Context, next: Next): Promise<unknown> {
    let answer: EventualOutcome;
    try {
      answer = gate.enter(context, context);
      if (answer === null) return goOn(context, next);
      if (!(answer instanceof Promise)) refuse(settings, answer, context);
    } catch (error) {
      return Promise.reject(error);
    }
    if (!(answer instanceof Promise)) return Promise.resolve();
    return answer.then((outcome: Outcome) =>
      outcome === null ? goOn(context, next) : refuse(settings, outcome, context),
    );
  }

  /** Koa shows when all later middleware is done, even when nothing can be sent any more. */
  function goOn(context: Context, next: Next): Promise<unknown> {
    const handling = next();
    if (followsEnds) gate.handling(context, handling);
    return handling;
  }

  return showLimiters(middleware, gate);
}

function refuse(settings: Settings, refusal: Refusal, context: Context): void {
  const { gate, throws } = settings;
  if (context.headerSent) {
    // The application has begun its response, so this can only end it.
    context.respond = false;
    if (!context.res.writableEnded) context.res.end();
    // After the end, since `onLimited` may throw.
    gate.announce(context, context, refusal);
    return;
  }
  const { status, problem, reason } = refusal;
  if (!isByLimit(refusal)) {
    const phrase = STATUS_CODES[status] ?? "";
    if (reason === "list" && problem === null) throwWith(context, status, phrase, {});
    answer(context, status, problem ?? phrase, problem !== null);
    return;
  }
  const own = settings.errorMessage;
  const message = own ?? messageOf(refusal);
  const headers = sentHeaders(settings.headerNames, context);
  answer(context, status, own ?? problem ?? message, own === undefined && problem !== null);
  const { retryAfterSeconds, key } = refusal;
  const id = key === null ? null : settings.shownKey(context, key);
  context.state["rateLimit"] = {
    ...{ after: retryAfterSeconds, headers, id, message },
  } satisfies RateLimitState;
  gate.announce(context, context, refusal);
  if (!throws) return;
  const told = { ...headers, ...(retryAfterSeconds > 0 && { "Retry-After": retryAfterSeconds }) };
  throwWith(context, context.status, context.body, told);
}

function answer(context: Context, status: number, body: unknown, isProblem: boolean): void {
  if (isProblem) context.set("Content-Type", PROBLEM_TYPE);
  context.body = body;
  context.status = status;
}

/** Throws a refusal: Koa sends only the headers that the error carries. */
function throwWith(context: Context, status: number, message: unknown, own: object): never {
  const kept: Record<string, unknown> = { ...context.res.getHeaders(), ...own };
  for (const name of [...OF_THE_BODY, ...Object.keys(own).map((own) => own.toLowerCase())]) {
    if (!Object.hasOwn(own, name)) delete kept[name];
  }
  return context.throw(status, message as string, { headers: kept });
}

/** The wait in words, to the millisecond unless the user chose another wait. */
function messageOf({ verdict, retryAfterSeconds, neverPasses }: Refusal): string {
  if (neverPasses) return NEVER_PASSES;
  const exactMs = verdict?.retryAfterMs ?? 0;
  const isExact = Math.max(1, Math.ceil(exactMs / 1_000)) === retryAfterSeconds;
  return `Rate limit exceeded, retry in ${durationText(isExact ? exactMs : 1_000 * retryAfterSeconds)}.`;
}

function sentHeaders(names: readonly string[], { res }: Context): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, Number(res.getHeader(name))]));
}
