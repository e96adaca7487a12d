/**
 * Sends a refusal in Fastify.
 *
 * It is thrown, so that the application's error handler sees it. Problem details are sent directly,
 * because the application must not change their form.
 */

import { STATUS_CODES } from "node:http";
import {
  durationText,
  isByLimit,
  isThenable,
  NEVER_PASSES,
  PROBLEM_TYPE,
  type Refusal,
} from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { errorResponseBuilderContext } from "./parity/peer-types.ts";
import type { Settings } from "./translate.ts";

/** Null continues; "sent" means that a response is on its way; anything else is to be thrown. */
export type Answer = null | "sent" | { readonly thrown: unknown };

/** Sends a refusal, or returns what to throw; a promise if the application's own error is one. */
export function refuse(
  { gate, ban, errorResponseBuilder, onBanReach, shownKey }: Settings,
  refusal: Refusal,
  request: FastifyRequest,
  reply: FastifyReply,
): Answer | Promise<Answer> {
  gate.announce(request, reply, refusal);
  const { verdict, problem, status, key } = refusal;
  const isBanned = ban !== null && verdict !== null && verdict.used - verdict.limit > ban;
  if (isBanned) onBanReach?.(request, shownKey(request, key));
  if (reply.raw.headersSent) {
    // The application has begun its response, so this can only end it.
    reply.hijack();
    reply.raw.end();
    return "sent";
  }
  const isLimited = isByLimit(refusal);
  if (problem !== null && !(isLimited && errorResponseBuilder !== undefined)) {
    reply.code(status).header("content-type", PROBLEM_TYPE).send(problem);
    return "sent";
  }
  if (!isLimited) return thrown(errorOf(STATUS_CODES[status] ?? "Refused", status));
  const context = contextOf(refusal, isBanned ? 403 : status, isBanned);
  const usual = refusal.neverPasses
    ? NEVER_PASSES
    : `Rate limit exceeded, retry in ${context.after}`;
  const built: unknown = errorResponseBuilder?.(request, context);
  return isThenable(built)
    ? Promise.resolve(built).then((later) => answerOf(later, usual, context, reply), thrown)
    : answerOf(built, usual, context, reply);
}

/** The error that the application made of a refusal, or the default if it made none. */
function answerOf(
  built: unknown,
  usual: string,
  context: errorResponseBuilderContext,
  reply: FastifyReply,
): Answer {
  const isText = typeof built === "string" && built !== "";
  const isObject = typeof built === "object" && built !== null;
  if (!isText && !isObject) {
    return thrown(errorOf(usual, context.statusCode));
  }
  // Without a status Fastify would send 500.
  if (!isObject || !("statusCode" in built || "status" in built)) reply.code(context.statusCode);
  return thrown(built);
}

function contextOf(
  { verdict, retryAfterSeconds }: Refusal,
  statusCode: number,
  ban: boolean,
): errorResponseBuilderContext {
  const { retryAfterMs = Number.POSITIVE_INFINITY, limit = 0 } = verdict ?? {};
  const toldMs = 1_000 * retryAfterSeconds;
  const ttl = retryAfterMs < Number.POSITIVE_INFINITY ? retryAfterMs : toldMs;
  return { statusCode, ban, max: limit, ttl, after: durationText(toldMs) };
}

function errorOf(message: string, statusCode: number): Error {
  return Object.assign(new Error(message), { statusCode });
}

/** Replaces a thrown undefined or null, which Fastify would take for success. */
export function thrown(error: unknown): Answer {
  return {
    thrown: error || new Error("a function in the rate limit's options threw undefined or null"),
  };
}
