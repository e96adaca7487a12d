/**
 * What users gave on one level, of the plugin, a route or a handler, under one name for each option.
 *
 * Levels are laid over each other only then: a route's `max` takes the place of the plugin's `limit`.
 */

import { TidegateError } from "@tidegate/core";
import {
  CLUSTER_INSTEAD,
  type FurtherNames,
  type Gate,
  type GateOptions,
  type GivenNames,
  type Ipv6Subnet,
  invalidOption,
  keyFunction,
  limitOf,
  onlyGiven,
  sayUnread,
  sayUnreadSubnet,
  spelled,
  unusedOptions,
  type Warnings,
  withNumbers,
} from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RateLimitHook, RateLimitPluginOptions } from "./options.ts";
import { windowMsOf } from "./parity/time-window.ts";

/** Options that only Fastify has. */
const OWN_OPTIONS: readonly (keyof RateLimitPluginOptions)[] = [
  ...([
    "ban",
    "groupId",
    "hook",
    "continueExceeding",
    "exponentialBackoff",
    "errorResponseBuilder",
  ] as const),
  ...(["onExceeding", "onExceeded", "onBanReach", "enableDraftSpec"] as const),
  ...(["addHeaders", "addHeadersOnExceeding", "global", "validate"] as const),
  ...(["skipOnError", "store", "cache", "redis", "nameSpace"] as const),
];

const FURTHER_NAMES: FurtherNames = {
  ...{ limit: ["max"], windowMs: ["timeWindow"], key: ["id", "keyGenerator"] },
  allow: ["allowList"],
};

/** What Fastify itself takes where a plugin is registered. */
const OF_REGISTER = ["prefix", "logLevel", "logSerializers"];

/** What says what is counted, in one way or the other. */
const COUNTED = ["policies", "limit", "windowMs"] as const;

/** What means something else with the preset `login`, or is only there with it. */
const OF_LOGIN = [...COUNTED, "key", "username", "addressLimit"] as const;

const HOOKS: readonly RateLimitHook[] = ["onRequest", "preParsing", "preValidation", "preHandler"];

/** One level, with each option under one name. */
export type Given = Omit<
  RateLimitPluginOptions,
  "max" | "timeWindow" | "keyGenerator" | "id" | "allowList"
> & {
  readonly windowMs?: GateOptions<FastifyRequest, FastifyReply>["windowMs"];
  /** The names that options were given by. */
  readonly names?: GivenNames;
  /** Whether a list has keys alone, as `allowList` does. */
  readonly allowsKeys?: boolean;
};

export type FastifyGate = Gate<FastifyRequest, FastifyReply>;

/** @param passed options, the plugin's with what Fastify's own `register` takes among them */
export function readLevel(passed: RateLimitPluginOptions, warnings: Warnings): Given {
  const given = onlyGiven(withoutOff(passed));
  for (const name of OF_REGISTER) Reflect.deleteProperty(given, name);
  sayUnread(given, [...OWN_OPTIONS, ...Object.values(FURTHER_NAMES).flat()], warnings);
  refuseStores(given);
  const { max, timeWindow, keyGenerator, id, allowList, ...others } = given;
  const read = { ...given, timeWindow: windowMsOf(timeWindow), allowList: listOf(allowList) };
  const respelled = spelled(read, FURTHER_NAMES);
  const { names } = respelled;
  const options = withNumbers<GateOptions<FastifyRequest, FastifyReply>>(
    respelled.options,
    warnings,
    names,
  );
  const { limit } = options;
  const key = keyFunction<FastifyRequest, FastifyReply>(respelled);
  if (typeof limit === "number") limitOf(names["limit"] ?? "limit", limit);
  check(given);
  sayUnreadSubnet({ ...given, key }, warnings);
  return {
    ...unset(withoutOff(passed)),
    ...onlyGiven({
      ...{ ...others, ...options, key, names },
      ...(names["allow"] !== undefined && { allowsKeys: names["allow"] === "allowList" }),
    }),
  } as Given;
}

/** The options with null for a list that is switched off, as users of @fastify/rate-limit may write it. */
function withoutOff(passed: RateLimitPluginOptions): RateLimitPluginOptions {
  const { allowList } = passed;
  const isOff = allowList !== undefined && !allowList;
  return isOff ? ({ ...passed, allowList: null } as never) : passed;
}

/** The keys of a list; in a text, commas or spaces stand between them. */
function listOf(allowList: RateLimitPluginOptions["allowList"]): unknown {
  return typeof allowList === "string" ? allowList.split(/[,\s]+/).filter(Boolean) : allowList;
}

/** What is null takes the place of what a level below has, and leaves the default. */
function unset(passed: object): Given {
  const names = Object.entries(passed).filter(([, value]) => value === null);
  return Object.fromEntries(names.map(([name]) => [ownName(name), undefined]));
}

function ownName(name: string): string {
  const own = Object.keys(FURTHER_NAMES).find((own) => FURTHER_NAMES[own]?.includes(name));
  return own ?? name;
}

/** Options laid over others; what is counted in one way is not counted in the other as well. */
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
  // A name is of one policy: several have their own.
  if (saysPolicies && above.policies.length > 1) Reflect.deleteProperty(kept, "identifier");
  // What does nothing beside a level's own choices was meant for others.
  for (const { name } of unusedOptions({ ...kept, ...above })) Reflect.deleteProperty(kept, name);
  return { ...kept, ...above, names: { ...below.names, ...above.names } };
}

/** How much of an IPv6 address users see in their functions. */
export function shownSubnet(given: Given): Ipv6Subnet {
  return typeof given.ipv6Subnet === "function" ? false : (given.ipv6Subnet ?? 64);
}

function check({ hook, ban, groupId, ...given }: Partial<RateLimitPluginOptions>): void {
  if (hook !== undefined && !HOOKS.includes(hook)) {
    throw invalidOption("hook", `one of ${HOOKS.join(", ")}`, hook);
  }
  // What used to switch a ban off does so still.
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
      `'${option}' is not taken: ${CLUSTER_INSTEAD}`,
    );
  }
}
