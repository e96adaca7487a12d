/**
 * Rate limits for Fastify: replaces @fastify/rate-limit and works across processes.
 *
 * The plugin `rateLimit`, also called `fastifyRateLimit`, is the default export and what `require`
 * returns, with everything else as properties.
 *
 * @packageDocumentation
 */

import { compositeKey, ipKeyGenerator } from "@tidegate/core/http";
import { normalizeIP } from "./parity/older-options.ts";
import { rateLimit } from "./plugin.ts";

export { compositeKey, ipKeyGenerator } from "@tidegate/core/http";
export type {
  AskRateLimit,
  Countable,
  Counting,
  CreateRateLimitOptions,
  RateLimitHook,
  RateLimitOptions,
  RateLimitPluginOptions,
  RateLimitState,
  RequestWithKey,
} from "./options.ts";
export { normalizeIP } from "./parity/older-options.ts";
export type {
  DefaultAddHeaders,
  DefaultAddHeadersOnExceeding,
  DraftSpecAddHeaders,
  DraftSpecAddHeadersOnExceeding,
  errorResponseBuilderContext,
  FastifyRateLimitOptions,
  FastifyRateLimitStore,
  FastifyRateLimitStoreCtor,
} from "./parity/peer-types.ts";

Object.assign(rateLimit, {
  ...{ rateLimit, fastifyRateLimit: rateLimit, default: rateLimit },
  ...{ compositeKey, ipKeyGenerator, normalizeIP },
});

export { rateLimit, rateLimit as fastifyRateLimit, rateLimit as default };
