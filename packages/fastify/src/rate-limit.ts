/**
 * The handler of a hook: asks the gate about each request.
 *
 * An allowed request continues in the same tick, unless a user's function returns a promise. A gate
 * that holds permits has to know when the handler of the route is done. Fastify returns a handler's
 * promise only to its caller, so the handlers of such routes are wrapped, and behave as before.
 */

import { type Outcome, showLimiters } from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import type { FastifyGate } from "./given.ts";
import type { Counting } from "./options.ts";
import { HOOKS } from "./parity/older-options.ts";
import type { Once } from "./parity/once.ts";
import { type Answer, refuse, thrown } from "./send-refusal.ts";
import type { Settings } from "./translate.ts";

/**
 * A handler for any hook; without a callback, as when the application calls it, it returns a
 * promise.
 */
export interface HookHandler extends Counting {
  (request: FastifyRequest, reply: FastifyReply, ...more: unknown[]): Promise<unknown> | undefined;
}

type Done = (error?: unknown) => void;

/** The gates that hold permits, by their hook handlers. */
const gates = new WeakMap<object, FastifyGate>();

/** @param once the requests that were counted by this handler; null to count each call */
export function hookHandler(settings: Settings, once: Once | null = null): HookHandler {
  const { gate } = settings;

  // The hook preParsing passes a payload before its callback.
  function limit(
    request: FastifyRequest,
    reply: FastifyReply,
    third?: unknown,
    fourth?: unknown,
  ): Promise<unknown> | undefined {
    const done = typeof fourth === "function" ? fourth : third;
    const answer = once?.has(request) === true ? null : decide(request, reply);
    if (typeof done !== "function") return Promise.resolve(answer).then((it) => own(it, reply));
    if (answer instanceof Promise) void answer.then((later) => settle(later, done as Done));
    else settle(answer, done as Done);
    return undefined;
  }

  function decide(request: FastifyRequest, reply: FastifyReply): Answer | Promise<Answer> {
    try {
      const decided = gate.enter(request, reply);
      if (decided === null) return null;
      return decided instanceof Promise
        ? decideLater(decided, request, reply)
        : refuse(settings, decided, request, reply);
    } catch (error) {
      return thrown(error);
    }
  }

  function decideLater(
    decided: Promise<Outcome>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Answer> {
    return decided
      .then((outcome) => (outcome === null ? null : refuse(settings, outcome, request, reply)))
      .catch(thrown);
  }

  if (gate.followsEnds) gates.set(limit, gate);
  return showLimiters(limit, gate);
}

/** Wraps the handler of a route, if a limit in one of its hooks needs to know when it is done. */
export function wrapHandler(route: RouteOptions): void {
  const hooks = HOOKS.flatMap((hook): readonly object[] => [route[hook] ?? []].flat());
  const told = hooks.flatMap((handler) => gates.get(handler) ?? []);
  if (told.length === 0) return;
  const { handler } = route;
  const wrapped: typeof handler = function (request, reply) {
    const handling = handler.call(this, request, reply);
    for (const gate of told) gate.handling(reply, handling);
    return handling;
  };
  route.handler = Object.defineProperty(wrapped, "name", { value: handler.name });
}

function settle(answer: Answer, done: Done): void {
  if (answer === null) done();
  else if (answer !== "sent") done(answer.thrown);
}

/** What a handler without a callback resolves with. */
function own(answer: Answer, reply: FastifyReply): FastifyReply | undefined {
  if (answer === null) return undefined;
  if (answer === "sent") return reply;
  throw answer.thrown;
}
