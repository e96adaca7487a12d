/**
 * Converts options of @fastify/rate-limit, and checks those that a gate does not know.
 */

import { TidegateError } from "@tidegate/core";
import { CLUSTER_INSTEAD, type Ipv6Subnet, invalidOption } from "@tidegate/core/http";
import type { FastifyRequest } from "fastify";
import type { Given } from "../given.ts";
import type { RateLimitHook, RateLimitPluginOptions } from "../options.ts";
import { normalizeIP } from "./normalize-ip.ts";

const HOOKS: readonly RateLimitHook[] = ["onRequest", "preParsing", "preValidation", "preHandler"];

const FUNCTIONS = ["errorResponseBuilder", "onExceeding", "onExceeded", "onBanReach"] as const;
const FLAGS = ["global", "continueExceeding", "exponentialBackoff", "enableDraftSpec"] as const;

/**
 * The options with null for a list that is switched off in a way that @fastify/rate-limit accepts.
 */
export function withoutOff(passed: RateLimitPluginOptions): RateLimitPluginOptions {
  const { allowList } = passed;
  const isOff = allowList !== undefined && !allowList;
  return isOff ? ({ ...passed, allowList: null } as never) : passed;
}

/** The keys of a list; in a text, commas or spaces separate them. */
export function listOf(allowList: RateLimitPluginOptions["allowList"]): unknown {
  return typeof allowList === "string" ? allowList.split(/[,\s]+/).filter(Boolean) : allowList;
}

/**
 * The allowed clients: `allowList` contains keys as users' functions see them, and nothing else.
 */
export function allowed(given: Given): unknown {
  const { allow, allowsKeys = false, key } = given;
  if (!allowsKeys || !Array.isArray(allow)) return allow;
  const keys = new Set<unknown>(allow);
  if (key !== undefined) {
    return (_request: FastifyRequest, shown: string): boolean => keys.has(shown);
  }
  const subnet = shownSubnet(given);
  const networks = allow.filter(
    (entry): entry is string =>
      typeof entry === "string" &&
      entry.includes(":") &&
      subnet !== false &&
      normalizeIP(entry, subnet) === entry,
  );
  return [...allow, ...networks.map((network) => `${network}/${subnet}`)];
}

/** How many bits of an IPv6 address users see in their functions. */
export function shownSubnet(given: Given): Ipv6Subnet {
  return typeof given.ipv6Subnet === "function" ? false : (given.ipv6Subnet ?? 64);
}

/** Checks the options that only this adapter reads. */
export function check({ hook, ban, groupId, ...given }: Partial<RateLimitPluginOptions>): void {
  for (const option of ["redis", "store"]) {
    if (!Reflect.get(given, option)) continue;
    throw new TidegateError(
      "TIDEGATE_OPTION_INVALID",
      `'${option}' is not supported: ${CLUSTER_INSTEAD}`,
    );
  }
  if (hook !== undefined && !HOOKS.includes(hook)) {
    throw invalidOption("hook", `one of ${HOOKS.join(", ")}`, hook);
  }
  // Values that switch a ban off in @fastify/rate-limit do so here.
  if (ban !== undefined && ban !== -1 && !(Number.isFinite(ban) && ban >= 0)) {
    throw invalidOption("ban", "a number of at least 0, or -1 for none", ban);
  }
  if (groupId !== undefined && (typeof groupId !== "string" || groupId === "")) {
    throw invalidOption("groupId", "a name", groupId);
  }
  for (const name of FUNCTIONS) {
    if (given[name] !== undefined && typeof given[name] !== "function") {
      throw invalidOption(name, "a function", given[name]);
    }
  }
  for (const name of FLAGS) {
    if (given[name] !== undefined && typeof given[name] !== "boolean") {
      throw invalidOption(name, "true or false", given[name]);
    }
  }
}
