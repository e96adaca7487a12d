/**
 * Options as express-rate-limit takes them: any value where it asks only whether one is truthy, older names beside
 * the newer ones, and names that mean nothing any more.
 */

import { DRAFTS, type Draft, type Warnings } from "@tidegate/core/http";
import type { RateLimitOptions } from "../options.ts";

/** Options that express-rate-limit had once, by the switch of the warning about them. */
const REMOVED: Readonly<Record<string, string>> = {
  draft_polli_ratelimit_headers: "draftPolliHeaders",
  onLimitReached: "onLimitReached",
};

/** The names of options that were removed. */
export const REMOVED_OPTIONS: readonly string[] = Object.keys(REMOVED);

/** Options of which express-rate-limit asks only whether they are truthy. */
const SWITCHES = [
  ...(["legacyHeaders", "headers", "passOnStoreError"] as const),
  ...(["skipFailedRequests", "skipSuccessfulRequests"] as const),
] as const;

/** The older name of an option, by the newer one, which wins where both are given. */
const OLDER_NAMES = { limit: "max", legacyHeaders: "headers" } as const;

/** The options with `true` or `false` where express-rate-limit takes any value as one of them. */
export function withFlags(given: Partial<RateLimitOptions>): Partial<RateLimitOptions> {
  const flags = SWITCHES.filter((name) => name in given).map((name) => [
    name,
    Boolean(given[name]),
  ]);
  return { ...given, ...Object.fromEntries(flags) };
}

/** The options without those whose newer name is given as well. */
export function withoutOlder(given: RateLimitOptions): object {
  const kept = { ...given };
  for (const [newer, older] of Object.entries(OLDER_NAMES)) {
    if (Reflect.has(given, newer)) Reflect.deleteProperty(kept, older);
  }
  return kept;
}

/** The draft that `standardHeaders` names; a truthy value that names none is warned about, and sends none. */
export function draftOf(given: unknown, warnings: Warnings): boolean | Draft {
  if (typeof given === "boolean" || !given) return given === true;
  const draft = DRAFTS.find((known) => known === given);
  if (draft === undefined)
    warnings.say("TIDEGATE_HEADERS_UNREAD", `'standardHeaders' is ${String(given)}.`);
  return draft ?? false;
}

export function sayRemoved(given: object, warnings: Warnings): void {
  for (const [name, as] of Object.entries(REMOVED)) {
    if (Reflect.get(given, name)) {
      warnings.say("TIDEGATE_OPTION_REMOVED", `Nobody reads '${name}'.`, undefined, as);
    }
  }
}
