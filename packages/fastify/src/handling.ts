/**
 * Tells a route's limits when its handler is done: Fastify returns a handler's promise only to its
 * caller.
 *
 * Only routes with permits are wrapped, and a wrapped handler behaves as before.
 */

import type { Gate } from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";

type RouteGate = Gate<FastifyRequest, FastifyReply>;

const HOOKS = ["onRequest", "preParsing", "preValidation", "preHandler"] as const;

/** The gates whose permits are held, by their hook handlers. */
const gates = new WeakMap<object, RouteGate>();

/** Notes the gate behind a hook handler. */
export function noteGate(handler: object, gate: RouteGate): void {
  if (gate.followsEnds) gates.set(handler, gate);
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
