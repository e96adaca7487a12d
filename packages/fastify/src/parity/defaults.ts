/**
 * The defaults of @fastify/rate-limit, and how its options about headers, bans and repeated
 * refusals change them.
 */

import { DAY, fixedWindow, MINUTE } from "@tidegate/core";
import type { LegacyNames, ParityDefaults } from "@tidegate/core/http";
import type { Given } from "../given.ts";
import { backsOff, countsTries } from "./bans.ts";

export const DEFAULT_LIMIT = 1_000;
const BACKOFF_MS_MAX = 10 * 365 * DAY;

// Written out, because literals are interned property names, while concatenated text needs a lookup
// first.
const NAMES = {
  limit: "x-ratelimit-limit",
  remaining: "x-ratelimit-remaining",
  reset: "x-ratelimit-reset",
} as const;
const DRAFT_NAMES = {
  limit: "ratelimit-limit",
  remaining: "ratelimit-remaining",
  reset: "ratelimit-reset",
} as const;

export function parityDefaults(given: Given): ParityDefaults {
  const { preset = "parity", addHeaders = {}, continueExceeding: restart = false } = given;
  const names = given.enableDraftSpec === true ? DRAFT_NAMES : NAMES;
  const backs = backsOff(given);
  const countsRefused = preset === "parity" && !countsTries(given);
  return {
    limit: DEFAULT_LIMIT,
    windowMs: MINUTE,
    policy: (limit, windowMs) =>
      fixedWindow({
        ...{ limit, windowMs, countRefused: countsRefused, restart },
        backoff: backs && { maxMs: Math.max(BACKOFF_MS_MAX, windowMs) },
      }),
    ipv6Subnet: 64,
    ipv6SubnetRange: [0, 128],
    legacyHeaders: true,
    spacedLists: true,
    legacy: {
      allowed: wantedOf(names, given.addHeadersOnExceeding ?? {}),
      refused: wantedOf(names, addHeaders),
      resetAs: "delta",
    },
    sendsRetryAfter: Boolean(addHeaders["retry-after"] ?? true),
    countsRefused,
  };
}

/** The names of the headers, without disabled ones. */
function wantedOf(
  { limit, remaining, reset }: typeof NAMES | typeof DRAFT_NAMES,
  wanted: object,
): LegacyNames {
  const unlessOff = (name: string): string | null =>
    (Reflect.get(wanted, name) ?? true) ? name : null;
  return { limit: unlessOff(limit), remaining: unlessOff(remaining), reset: unlessOff(reset) };
}
