/**
 * The options that a user gave on one level (plugin, route or handler), under one name each.
 *
 * Levels are merged only after that: a route's `max` replaces the plugin's `limit`.
 */

import {
  type Gate,
  type GateOptions,
  type GivenNames,
  limitOf,
  type OptionNames,
  onlyGiven,
  readOptions,
  unusedOptions,
  type Warnings,
} from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RateLimitPluginOptions } from "./options.ts";
import { check, listOf, windowMsOf, withoutOff } from "./parity/older-options.ts";

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

/** @param level the given options; the plugin's include those of Fastify's own `register` */
export function readLevel(level: RateLimitPluginOptions, warnings: Warnings): Given {
  const passed = withoutOff(level);
  const given = onlyGiven(passed);
  for (const name of OF_REGISTER) Reflect.deleteProperty(given, name);
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
    ...unset(passed),
    ...onlyGiven({
      ...{ ...others, ...options, names },
      ...(names["allow"] !== undefined && { allowsKeys: names["allow"] === "allowList" }),
    }),
  } as Given;
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
