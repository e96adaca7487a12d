/** The defaults of koa-ratelimit. */

import { fixedWindow, HOUR } from "@tidegate/core";
import type { LegacyNames, ParityDefaults } from "@tidegate/core/http";

/** @param legacy the names of the headers */
export function parityDefaults(legacy: LegacyNames): ParityDefaults {
  return {
    limit: 2_500,
    windowMs: HOUR,
    policy: (limit, windowMs) => fixedWindow({ limit, windowMs }),
    ipv6Subnet: 64,
    ipv6SubnetRange: [32, 64],
    legacyHeaders: true,
    spacedLists: true,
    legacy: { allowed: legacy, refused: legacy, resetAs: "epoch" },
    sendsRetryAfter: true,
    countsRefused: false,
    limitedMayThrow: true,
  };
}
