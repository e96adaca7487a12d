/**
 * The defaults of koa-ratelimit, and its options in the form of a gate's: disabled lists,
 * `disableHeader`, names of headers, and drivers.
 *
 * A driver has no meaning here, because nothing is stored elsewhere. One that could be omitted is
 * ignored, and any other is an error.
 */

import { validateHeaderName } from "node:http";
import { fixedWindow, HOUR, TidegateError } from "@tidegate/core";
import { CLUSTER_INSTEAD, type ParityDefaults, type Refusal } from "@tidegate/core/http";
import type { Context } from "koa";
import type { Options } from "../options.ts";

const OFF_IF_FALSY = ["whitelist", "blacklist", "status", "onLimited"];

/** The names of the headers with the state of a limit. */
type HeaderNames = Readonly<Record<"remaining" | "reset" | "limit", string>>;

/** @param legacy the names of the headers */
export function parityDefaults(legacy: HeaderNames): ParityDefaults {
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

/** The options with the values of a gate: nothing where a falsy value switches an option off. */
export function respelled(given: Options): object {
  const { onLimited, disableHeader } = given;
  const kept = Object.entries(given).filter(
    ([name, value]) => value || !OFF_IF_FALSY.includes(name),
  );
  return {
    ...Object.fromEntries(kept),
    // The opposite of `legacyHeaders`, whose other name it is.
    ...(disableHeader !== undefined && { disableHeader: !disableHeader }),
    ...(typeof onLimited === "function" && {
      onLimited: (context: Context, _context: Context, refusal: Refusal) =>
        onLimited(context, refusal),
    }),
  };
}

export function headerNamesOf({ headers = {} }: Options): HeaderNames {
  const {
    remaining = "X-RateLimit-Remaining",
    reset = "X-RateLimit-Reset",
    total = "X-RateLimit-Limit",
  } = headers ?? {};
  for (const [option, name] of Object.entries({ remaining, reset, total })) {
    try {
      validateHeaderName(name);
    } catch {
      throw new TidegateError(
        "TIDEGATE_OPTION_INVALID",
        `'headers.${option}' must be the name of a header, got ${JSON.stringify(name)}`,
      );
    }
  }
  return { remaining, reset, limit: total };
}

export function refuseStores(given: object): void {
  const { driver, db }: { driver?: unknown; db?: unknown } = given;
  if (driver !== undefined && driver !== "memory") {
    throw new TidegateError(
      "TIDEGATE_OPTION_INVALID",
      `'driver' must be "memory" or left out, got ${JSON.stringify(driver)}: ${CLUSTER_INSTEAD}`,
    );
  }
  if (db === undefined || db === null) return;
  if (Object.prototype.toString.call(db) === "[object Map]") return;
  throw new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    `'db' must be a Map or left out: ${CLUSTER_INSTEAD}`,
  );
}
