/** The defaults of express-rate-limit. */

import { DAY, fixedWindow, HOUR, MINUTE, SECOND } from "@tidegate/core";
import type { ParityDefaults } from "@tidegate/core/http";

/** The defaults as handlers and stores receive them. */
export const DEFAULTS: {
  readonly windowMs: number;
  readonly limit: number;
  readonly message: string;
  readonly statusCode: number;
  readonly legacyHeaders: boolean;
  readonly standardHeaders: boolean;
  readonly requestPropertyName: string;
  readonly skipFailedRequests: boolean;
  readonly skipSuccessfulRequests: boolean;
  readonly ipv6Subnet: number;
  readonly passOnStoreError: boolean;
} = {
  windowMs: MINUTE,
  limit: 5,
  message: "Too many requests, please try again later.",
  statusCode: 429,
  legacyHeaders: true,
  standardHeaders: false,
  requestPropertyName: "rateLimit",
  skipFailedRequests: false,
  skipSuccessfulRequests: false,
  ipv6Subnet: 56,
  passOnStoreError: false,
};

const LEGACY_NAMES = {
  limit: "X-RateLimit-Limit",
  remaining: "X-RateLimit-Remaining",
  reset: "X-RateLimit-Reset",
} as const;

/**
 * @param countsRefused whether the policy counts refused hits
 * @param storeCounts whether a store counts, which always counts them
 */
export function parityDefaults(countsRefused: boolean, storeCounts: boolean): ParityDefaults {
  const { limit, windowMs, ipv6Subnet, legacyHeaders } = DEFAULTS;
  return {
    ...{ limit, windowMs, ipv6Subnet, legacyHeaders },
    policy: (limit, windowMs) => fixedWindow({ limit, windowMs, countRefused: countsRefused }),
    ipv6SubnetRange: [32, 64],
    legacy: { allowed: LEGACY_NAMES, refused: LEGACY_NAMES, resetAs: "epoch" },
    spacedLists: true,
    sendsRetryAfter: true,
    fieldName: policyName,
    countsRefused: countsRefused || storeCounts,
  };
}

/** The name of a limit in fields of express-rate-limit: its numbers, such as `5-in-1min`. */
export function policyName(limit: number, windowMs: number): string {
  return `${limit}-in-${duration(windowMs)}`;
}

function duration(ms: number): string {
  if (ms < MINUTE) return `${ms / SECOND}sec`;
  if (ms < HOUR) return `${ms / MINUTE}min`;
  if (ms < DAY) return `${ms / HOUR}hr${ms > HOUR ? "s" : ""}`;
  return `${ms / DAY}day${ms > DAY ? "s" : ""}`;
}
