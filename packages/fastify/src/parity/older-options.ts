/**
 * Converts options of @fastify/rate-limit, and checks those that a gate does not know.
 *
 * Durations may be text, such as `"1 minute"`, `"90s"` or `"1.5 h"`. Users see an IPv6 network
 * without its length.
 */

import { DAY, HOUR, MINUTE, SECOND, TidegateError } from "@tidegate/core";
import { addressKey, CLUSTER_INSTEAD, type Ipv6Subnet, invalidOption } from "@tidegate/core/http";
import type { FastifyRequest } from "fastify";
import type { Given } from "../given.ts";
import type { RateLimitHook, RateLimitPluginOptions } from "../options.ts";

export const HOOKS: readonly RateLimitHook[] = [
  "onRequest",
  "preParsing",
  "preValidation",
  "preHandler",
];

const FUNCTIONS = ["errorResponseBuilder", "onExceeding", "onExceeded", "onBanReach"] as const;
const FLAGS = ["global", "continueExceeding", "exponentialBackoff", "enableDraftSpec"] as const;

const YEAR_DAYS = 365.25;

/** The spellings of each unit, by its length in milliseconds. */
const UNITS: readonly (readonly [number, readonly string[]])[] = [
  [1, ["", "ms", "msec", "msecs", "millisecond", "milliseconds"]],
  [SECOND, ["s", "sec", "secs", "second", "seconds"]],
  [MINUTE, ["m", "min", "mins", "minute", "minutes"]],
  [HOUR, ["h", "hr", "hrs", "hour", "hours"]],
  [DAY, ["d", "day", "days"]],
  [7 * DAY, ["w", "wk", "wks", "week", "weeks"]],
  [YEAR_DAYS * DAY, ["y", "yr", "yrs", "year", "years"]],
];

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

/** The address, of IPv6 the network of `ipv6Subnet` bits; text that is no address in lower case. */
export function normalizeIP(ip: string, ipv6Subnet: number = 64): string {
  const key = addressKey(ip, ipv6Subnet);
  return key === null ? ip.toLowerCase() : key.replace(/\/\d+$/, "");
}

/** How many bits of an IPv6 address users see in their functions. */
export function shownSubnet(given: Given): Ipv6Subnet {
  return typeof given.ipv6Subnet === "function" ? false : (given.ipv6Subnet ?? 64);
}

/** Milliseconds of a `timeWindow`; a value that is no text is returned unchanged. */
export function windowMsOf<Given>(timeWindow: Given): Exclude<Given, string> | number {
  if (typeof timeWindow === "number") return Math.trunc(timeWindow);
  if (typeof timeWindow !== "string") return timeWindow as Exclude<Given, string>;
  const [, amount = "", unit = ""] = /^(\d*\.?\d+) *([a-z]*)$/i.exec(timeWindow.trim()) ?? [];
  const [unitMs] = UNITS.find(([, names]) => names.includes(unit.toLowerCase())) ?? [];
  if (amount !== "" && unitMs !== undefined) return Number(amount) * unitMs;
  throw new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    `'timeWindow' must be milliseconds or a duration such as "1 minute" or "12h", got ${JSON.stringify(timeWindow)}`,
  );
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
