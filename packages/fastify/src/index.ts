/**
 * Rate limits for Fastify: replaces @fastify/rate-limit and works across processes.
 *
 * The plugin `rateLimit`, also called `fastifyRateLimit`, is the default export and what `require`
 * returns, with everything else as properties.
 *
 * @packageDocumentation
 */

import { addressAnswer, compositeKey } from "@tidegate/core/http";
import { normalizeIP } from "./parity/normalize-ip.ts";
import { rateLimit } from "./plugin.ts";

export { compositeKey } from "@tidegate/core/http";
export type {
  AskRateLimit,
  Countable,
  Counting,
  CreateRateLimitOptions,
  DefaultAddHeaders,
  DefaultAddHeadersOnExceeding,
  DraftSpecAddHeaders,
  DraftSpecAddHeadersOnExceeding,
  errorResponseBuilderContext,
  FastifyRateLimitOptions,
  FastifyRateLimitStore,
  FastifyRateLimitStoreCtor,
  RateLimitHook,
  RateLimitOptions,
  RateLimitPluginOptions,
  RateLimitState,
  RequestWithKey,
} from "./options.ts";
export { normalizeIP } from "./parity/normalize-ip.ts";

/**
 * An address as a key: IPv4 as it is, IPv6 by its network. In a cluster that is one of 56 bits.
 *
 * @example
 * await fastify.register(rateLimit, { key: (request) => request.userId ?? ipKeyGenerator(request.ip) });
 */
export function ipKeyGenerator(ip: string | undefined, ipv6Subnet: number | false = 64): string {
  return addressAnswer(ip, ipv6Subnet);
}

Object.assign(rateLimit, {
  ...{ rateLimit, fastifyRateLimit: rateLimit, default: rateLimit },
  ...{ compositeKey, ipKeyGenerator, normalizeIP },
});

export { rateLimit, rateLimit as fastifyRateLimit, rateLimit as default };
