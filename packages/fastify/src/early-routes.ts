/**
 * Finds routes that were defined before the plugin was loaded.
 *
 * Fastify shows a plugin only routes that are defined after it, and has no list of the others. So
 * an early route is found at its first request. An application without early routes has no hook for
 * this.
 */

import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";

const NO_ROUTES = /^(\(empty tree\))?\s*$/;

/** Whether an application has any routes so far. */
export function hasRoutes(fastify: FastifyInstance): boolean {
  return !NO_ROUTES.test(fastify.printRoutes());
}

export class EarlyRoutes {
  readonly #shown = new Set<string>();
  readonly #limitsAll: boolean;

  /** @param limitsAll whether routes without options of their own are limited */
  constructor(limitsAll: boolean) {
    this.#limitsAll = limitsAll;
  }

  /** Notes a route that Fastify has shown to the plugin. */
  note({ method, url }: RouteOptions): void {
    for (const each of [method].flat()) this.#shown.add(`${each} ${url}`);
  }

  /** The route of a request, if it should be limited and Fastify has not shown it. */
  find({ method, is404, routeOptions }: FastifyRequest): string | null {
    // Preflight routes belong to other plugins, and preflights are not limited.
    if (is404 || method === "OPTIONS") return null;
    const own: unknown = routeOptions.config.rateLimit;
    const isMeant = own === undefined || own === null ? this.#limitsAll : own !== false;
    const route = `${method} ${routeOptions.url}`;
    return isMeant && !this.#shown.has(route) ? route : null;
  }
}
