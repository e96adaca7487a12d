/**
 * The options that a user gave on one level (plugin, route or handler), under one name each.
 *
 * Levels are merged only after that: a route's `max` replaces the plugin's `limit`.
 */

import { TidegateError } from "@tidegate/core";
import {
  CLUSTER_INSTEAD,
  type Gate,
  type GateOptions,
  type GivenNames,
  type Ipv6Subnet,
  invalidOption,
  limitOf,
  type OptionNames,
  onlyGiven,
  readOptions,
  unusedOptions,
  type Warnings,
} from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RateLimitHook, RateLimitPluginOptions } from "./options.ts";
import { windowMsOf } from "./parity/time-window.ts";

const NAMES: OptionNames = {
  own: [
    ...(["ban", "groupId", "hook", "continueExceeding", "exponentialBackoff"] as const),
    ...(["errorResponseBuilder", "onExceeding", "onExceeded", "onBanReach"] as const),
    ...(["enableDraftSpec", "addHeaders", "addHeadersOnExceeding", "global"] as const),
    ...(["validate", "skipOnError", "store", "cache", "redis", "nameSpace"] as const),
  ] satisfies (keyof RateLimitPluginOptions)[],
  further: {
    ...{ limit: ["max"], windowMs: ["timeWindow"], key: ["id", "keyGenerator"] },
    allow: ["allowList"],
  },
};

/** Options that Fastify's own `register` takes. */
const OF_REGISTER = ["prefix", "logLevel", "logSerializers"];

/** The two ways to say what is counted. */
const COUNTED = ["policies", "limit", "windowMs"] as const;

/** Options that mean something else with the preset `login`, or exist only with it. */
const OF_LOGIN = [...COUNTED, "key", "username", "addressLimit"] as const;

const HOOKS: readonly RateLimitHook[] = ["onRequest", "preParsing", "preValidation", "preHandler"];

/** One level, with one name for each option. */
export type Given = Omit<
  RateLimitPluginOptions,
  "max" | "timeWindow" | "keyGenerator" | "id" | "allowList"
> & {
  readonly windowMs?: GateOptions<FastifyRequest, FastifyReply>["windowMs"];
  /** The names that the user wrote. */
  readonly names?: GivenNames;
  /** Whether a list contains only keys, as `allowList` does. */
  readonly allowsKeys?: boolean;
};

export type FastifyGate = Gate<FastifyRequest, FastifyReply>;

/** @param passed the given options; the plugin's include those of Fastify's own `register` */
export function readLevel(passed: RateLimitPluginOptions, warnings: Warnings): Given {
  const given = onlyGiven(withoutOff(passed));
  for (const name of OF_REGISTER) Reflect.deleteProperty(given, name);
  refuseStores(given);
  check(given);
  const { max, timeWindow, keyGenerator, id, allowList, ...others } = given;
  const { options, names } = readOptions<FastifyRequest, FastifyReply>(
    { ...given, timeWindow: windowMsOf(timeWindow), allowList: listOf(allowList) },
    NAMES,
    warnings,
  );
  const { limit } = options;
  if (typeof limit === "number") limitOf(names["limit"] ?? "limit", limit);
  return {
    ...unset(withoutOff(passed)),
    ...onlyGiven({
      ...{ ...others, ...options, names },
      ...(names["allow"] !== undefined && { allowsKeys: names["allow"] === "allowList" }),
    }),
  } as Given;
}

/**
 * The options with null for a list that is switched off in a way that @fastify/rate-limit accepts.
 */
function withoutOff(passed: RateLimitPluginOptions): RateLimitPluginOptions {
  const { allowList } = passed;
  const isOff = allowList !== undefined && !allowList;
  return isOff ? ({ ...passed, allowList: null } as never) : passed;
}

/** The keys of a list; in a text, commas or spaces separate them. */
function listOf(allowList: RateLimitPluginOptions["allowList"]): unknown {
  return typeof allowList === "string" ? allowList.split(/[,\s]+/).filter(Boolean) : allowList;
}

/** Null removes an option of a level below, and leaves its default. */
function unset(passed: object): Given {
  const names = Object.entries(passed).filter(([, value]) => value === null);
  return Object.fromEntries(names.map(([name]) => [ownName(name), undefined]));
}

function ownName(name: string): string {
  const own = Object.entries(NAMES.further).find(([, further]) => further.includes(name));
  return own?.[0] ?? name;
}

/** Merges options over others; one way to say what is counted replaces the other. */
export function layOver(below: Given, above: Given): Given {
  const kept = { ...below };
  const { preset = below.preset } = above;
  if ((preset === "login") !== (below.preset === "login")) {
    for (const name of OF_LOGIN) delete kept[name];
  }
  const saysPolicies = above.policies !== undefined;
  for (const name of COUNTED) {
    const isOther = saysPolicies !== (name === "policies");
    if (isOther && COUNTED.some((said) => above[said] !== undefined)) delete kept[name];
  }
  // A name belongs to a single policy: several have their own.
  if (saysPolicies && above.policies.length > 1) Reflect.deleteProperty(kept, "identifier");
  // An option that has no effect with a level's own choices was meant for other levels.
  for (const { name } of unusedOptions({ ...kept, ...above })) Reflect.deleteProperty(kept, name);
  return { ...kept, ...above, names: { ...below.names, ...above.names } };
}

/** How many bits of an IPv6 address users see in their functions. */
export function shownSubnet(given: Given): Ipv6Subnet {
  return typeof given.ipv6Subnet === "function" ? false : (given.ipv6Subnet ?? 64);
}

function check({ hook, ban, groupId, ...given }: Partial<RateLimitPluginOptions>): void {
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
  for (const name of [
    ...(["errorResponseBuilder", "onExceeding", "onExceeded", "onBanReach"] as const),
  ]) {
    if (given[name] !== undefined && typeof given[name] !== "function") {
      throw invalidOption(name, "a function", given[name]);
    }
  }
  for (const name of [
    ...(["global", "continueExceeding", "exponentialBackoff", "enableDraftSpec"] as const),
  ]) {
    if (given[name] !== undefined && typeof given[name] !== "boolean") {
      throw invalidOption(name, "true or false", given[name]);
    }
  }
}

function refuseStores(given: object): void {
  for (const option of ["redis", "store"]) {
    if (!Reflect.get(given, option)) continue;
    throw new TidegateError(
      "TIDEGATE_OPTION_INVALID",
      `'${option}' is not supported: ${CLUSTER_INSTEAD}`,
    );
  }
}
