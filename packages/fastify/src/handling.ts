/**
 * Lets the limits of a route know when its handler is done: Fastify shows the promise of one only to what
 * has called it.
 *
 * Only routes are wrapped on which something is held, and a handler is called as if it were not.
 */

import type { Gate } from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";

type RouteGate = Gate<FastifyRequest, FastifyReply>;

const HOOKS = ["onRequest", "preParsing", "preValidation", "preHandler"] as const;

/** By handler of a hook, the gate that something is held under. */
const gates = new WeakMap<object, RouteGate>();

/** Notes the gate that a handler of a hook asks about requests. */
export function noteGate(handler: object, gate: RouteGate): void {
  if (gate.followsEnds) gates.set(handler, gate);
}

/** Wraps the handler of a route, if a limit in a hook of its own has to know when that is done. */
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
