/**
 * One registration of the plugin: its own limit and those of routes, handlers and `createRateLimit`
 * functions, each in a limiter with its own name.
 */

import { TidegateError } from "@tidegate/core";
import {
  invalidOption,
  isCalledBy,
  optionsIn,
  sayUnreadSwitches,
  Warnings,
} from "@tidegate/core/http";
import type { FastifyInstance, RouteOptions } from "fastify";
import { EarlyRoutes, hasRoutes } from "./early-routes.ts";
import { type Given, layOver, readLevel } from "./given.ts";
import { Limiters, limiterName } from "./limiters.ts";
import type {
  AskRateLimit,
  CreateRateLimitOptions,
  RateLimitHook,
  RateLimitOptions,
  RateLimitPluginOptions,
} from "./options.ts";
import { askRateLimit } from "./parity/ask.ts";
import { Once } from "./parity/once.ts";
import { type HookHandler, hookHandler } from "./rate-limit.ts";
import { type Standing, settingsOf } from "./translate.ts";

const NAME = "default";

/** What is on the stack while a request is handled. */
const HANDLING = /\bhookRunner \(|[\\/]fastify[\\/]lib[\\/]handle-request\.js/;

export class Registration {
  readonly #limiters = new Limiters();
  readonly #warnings: Warnings;
  readonly #given: Given;
  readonly #once = new Once();
  readonly #early: EarlyRoutes;
  readonly #handler: HookHandler;
  /** How many handlers and `createRateLimit` functions have options of their own. */
  #made = 0;

  constructor(options: RateLimitPluginOptions) {
    const given = optionsIn("rateLimit", options);
    this.#warnings = new Warnings(given.validate);
    sayUnreadSwitches(given.validate, this.#warnings);
    this.#given = readLevel(given, this.#warnings);
    this.#handler = hookHandler(settingsOf(this.#given, this.#own()), this.#once);
    this.#early = new EarlyRoutes(this.#given.global !== false);
  }

  /** The limit of a route, if any: its own, or the registration's. */
  limitRoute(route: RouteOptions): void {
    this.#early.note(route);
    const config: unknown = route.config?.rateLimit;
    if (config === false) return;
    if (config === undefined || config === null) {
      if (this.#given.global !== false) addHook(route, this.#given.hook, this.#handler);
      return;
    }
    if (typeof config !== "object" || Array.isArray(config)) {
      const expected =
        "an object or false, and what depends on a request is a function in it, such as { max: (request, key) => 10 }";
      throw invalidOption("config.rateLimit", expected, config);
    }
    const above = readLevel(config as RateLimitOptions, this.#warnings);
    const given = this.#above(above);
    const standing = this.#standing(above, routeName(route));
    addHook(route, given.hook, hookHandler(settingsOf(given, standing)));
  }

  /** Looks for early routes, if there are any routes so far. */
  watch(fastify: FastifyInstance): void {
    if (!hasRoutes(fastify)) return;
    fastify.addHook("onRequest", (request, _reply, done) => {
      const route = this.#early.find(request);
      if (route !== null)
        this.#warnings.say("TIDEGATE_ROUTE_UNLIMITED", `${route} is not limited.`);
      done();
    });
  }

  /** A handler with the registration's limit, or with a limit of its own. */
  handler(options?: RateLimitOptions): HookHandler {
    if (options === undefined || options === null) {
      this.#once.handOut();
      return this.#handler;
    }
    const above = readLevel(optionsIn("rateLimit", options), this.#warnings);
    return hookHandler(settingsOf(this.#above(above), this.#loose(above)));
  }

  ask(options?: CreateRateLimitOptions): AskRateLimit {
    if (options === undefined || options === null) {
      return askRateLimit(this.#given, this.#own());
    }
    const above = readLevel(optionsIn("createRateLimit", options), this.#warnings);
    return askRateLimit(this.#above(above), this.#loose(above));
  }

  /** Warns that another plugin already uses a decorator name of this one. */
  sayTaken(decorator: string): void {
    this.#warnings.say("TIDEGATE_DECORATOR_TAKEN", `The name '${decorator}' is taken.`);
  }

  close(): void {
    this.#limiters.close();
  }

  #own(): Standing {
    const { name, groupId } = this.#given;
    const isNameless = name === undefined && this.#given.cluster !== undefined;
    const full = groupId === undefined ? name : limiterName(name ?? NAME, groupId);
    return {
      name: isNameless ? undefined : (full ?? NAME),
      isShared: groupId !== undefined,
      ...{ limiters: this.#limiters, warnings: this.#warnings },
    };
  }

  /** A level above the registration's, which keeps its name and group for itself. */
  #above(above: Given): Given {
    const { name: _name, groupId: _group, ...below } = this.#given;
    return layOver(below, above);
  }

  #standing({ name, groupId }: Given, suffix: string): Standing {
    const own = this.#given.name ?? NAME;
    return {
      name: name ?? limiterName(own, groupId ?? suffix),
      isShared: name !== undefined || groupId !== undefined,
      ...{ limiters: this.#limiters, warnings: this.#warnings },
    };
  }

  /** For limits outside of routes; those made while a request is handled share one limiter. */
  #loose(above: Given): Standing {
    const isPerRequest = isCalledBy(HANDLING);
    if (isPerRequest) this.#warnings.say("TIDEGATE_MADE_PER_REQUEST");
    const suffix = isPerRequest ? "handler:request" : `handler:${++this.#made}`;
    const standing = this.#standing(above, suffix);
    return isPerRequest ? { ...standing, isShared: true } : standing;
  }
}

/** The error for a value in the wrong place. */
export function misused(message: string): TidegateError {
  return new TidegateError("TIDEGATE_OPTION_INVALID", message);
}

/** `GET:/users/:id`, with what else distinguishes the route from others of the same URL. */
function routeName({ method, url, constraints }: RouteOptions): string {
  const methods = Array.isArray(method) ? method.join(",") : method;
  const hasMore = Object.keys(constraints ?? {}).length > 0;
  return `${methods}:${url}${hasMore ? `:${JSON.stringify(constraints, inText)}` : ""}`;
}

/** JSON would lose a regular expression, as if all were the same. */
function inText(_name: string, value: unknown): unknown {
  return value instanceof RegExp ? String(value) : value;
}

/** Adds a handler behind those of a route, in a new list: routes may share theirs. */
function addHook(
  route: RouteOptions,
  hook: RateLimitHook = "onRequest",
  handler: HookHandler,
): void {
  const before = route[hook];
  const all = before === undefined ? [] : Array.isArray(before) ? before : [before];
  Reflect.set(route, hook, [...all, handler]);
}
