/**
 * Converts options that express-rate-limit accepts: truthy values for booleans, older names beside
 * the newer ones, and names without a meaning today.
 */

import { DRAFTS, type Draft, type Warnings } from "@tidegate/core/http";
import type { RateLimitOptions } from "../options.ts";

/** Options that express-rate-limit has removed, by the switch of the warning about them. */
const REMOVED: Readonly<Record<string, string>> = {
  draft_polli_ratelimit_headers: "draftPolliHeaders",
  onLimitReached: "onLimitReached",
};

/** The names of options that were removed. */
export const REMOVED_OPTIONS: readonly string[] = Object.keys(REMOVED);

/** Options that express-rate-limit only tests for truthiness. */
const SWITCHES = [
  ...(["legacyHeaders", "headers", "passOnStoreError"] as const),
  ...(["skipFailedRequests", "skipSuccessfulRequests"] as const),
] as const;

/** The older name of an option, by the newer one, which wins if both are given. */
const OLDER_NAMES = { limit: "max", legacyHeaders: "headers" } as const;

/** The options with truthy and falsy values converted to `true` and `false`. */
export function withFlags(given: Partial<RateLimitOptions>): Partial<RateLimitOptions> {
  const flags = SWITCHES.filter((name) => name in given).map((name) => [
    name,
    Boolean(given[name]),
  ]);
  return { ...given, ...Object.fromEntries(flags) };
}

/** The options with the values of a gate, and without the older name where both are given. */
export function respelled(given: RateLimitOptions, warnings: Warnings): object {
  const { standardHeaders } = given;
  const kept = {
    ...given,
    ...(standardHeaders !== undefined && { standardHeaders: draftOf(standardHeaders, warnings) }),
  };
  for (const [newer, older] of Object.entries(OLDER_NAMES)) {
    if (Reflect.has(given, newer)) Reflect.deleteProperty(kept, older);
  }
  return kept;
}

/**
 * The draft that `standardHeaders` names. An unknown truthy value gives a warning, and no fields.
 */
function draftOf(given: unknown, warnings: Warnings): boolean | Draft {
  if (typeof given === "boolean" || !given) return given === true;
  const draft = DRAFTS.find((known) => known === given);
  if (draft === undefined)
    warnings.say("TIDEGATE_HEADERS_UNREAD", `'standardHeaders' is ${String(given)}.`);
  return draft ?? false;
}

export function sayRemoved(given: object, warnings: Warnings): void {
  for (const [name, as] of Object.entries(REMOVED)) {
    if (Reflect.get(given, name)) {
      warnings.say("TIDEGATE_OPTION_REMOVED", `The option '${name}' was given.`, undefined, as);
    }
  }
}
