/**
 * Rate limits for Express: replaces express-rate-limit and works across processes.
 *
 * `rateLimit` is the default export, a named one, and what `require` returns, with everything else
 * as properties.
 *
 * @packageDocumentation
 */

import { DAY, HOUR, MINUTE, SECOND } from "@tidegate/core";
import { compositeKey, ipKeyGenerator as keyOfAddress } from "@tidegate/core/http";
import { MemoryStore, tidegateStore } from "./parity/limiter-store.ts";
import { rateLimit } from "./rate-limit.ts";

export { DAY, HOUR, MINUTE, SECOND } from "@tidegate/core";
export { compositeKey } from "@tidegate/core/http";
export type {
  Options,
  RateLimitOptions,
  RateLimitRequestHandler,
} from "./options.ts";
export { MemoryStore, type TidegateStoreOptions, tidegateStore } from "./parity/limiter-store.ts";
export type {
  AugmentedRequest,
  Client,
  ClientRateLimitInfo,
  DraftHeadersVersion,
  EnabledValidations,
  IncrementCallback,
  IncrementResponse,
  LegacyStore,
  Logger,
  LoggerFn,
  RateLimitExceededEventHandler,
  RateLimitInfo,
  RateLimitReachedEventHandler,
  Store,
  ValidationName,
  Validations,
  ValueDeterminingMiddleware,
} from "./parity/peer-types.ts";

/**
 * An address as a key: IPv4 as it is, IPv6 by its network.
 *
 * @example
 * rateLimit({ keyGenerator: (req) => req.get("x-api-key") ?? ipKeyGenerator(req.ip) });
 */
export function ipKeyGenerator(ip: string | undefined, ipv6Subnet: number | false = 56): string {
  return keyOfAddress(ip, ipv6Subnet);
}

Object.assign(rateLimit, {
  ...{ rateLimit, MemoryStore, compositeKey, ipKeyGenerator, tidegateStore },
  ...{ SECOND, MINUTE, HOUR, DAY, default: rateLimit },
});

export { rateLimit, rateLimit as default };
