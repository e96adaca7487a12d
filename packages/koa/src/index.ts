/**
 * Rate limits for Koa: replaces koa-ratelimit and works across processes.
 *
 * `rateLimit` is the default export, a named one, and what `require` returns, with everything else
 * as properties.
 *
 * @packageDocumentation
 */

import { addressAnswer, compositeKey } from "@tidegate/core/http";
import { rateLimit } from "./rate-limit.ts";

export { compositeKey } from "@tidegate/core/http";
export type {
  ContextWithKey,
  HeaderNameOptions,
  MiddlewareOptions,
  Options,
  RateLimitMiddleware,
  RateLimitState,
} from "./options.ts";

/**
 * An address as a key: IPv4 as it is, IPv6 by its network. In a cluster that is one of 56 bits.
 *
 * @example
 * rateLimit({ key: (ctx) => ctx.state["user"] ?? ipKeyGenerator(ctx.ip) });
 */
export function ipKeyGenerator(ip: string | undefined, ipv6Subnet: number | false = 64): string {
  return addressAnswer(ip, ipv6Subnet);
}

Object.assign(rateLimit, { rateLimit, compositeKey, ipKeyGenerator, default: rateLimit });

export { rateLimit, rateLimit as default };
