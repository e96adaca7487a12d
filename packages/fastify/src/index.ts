/**
 * Rate limits for Fastify: takes the place of @fastify/rate-limit and holds across processes.
 *
 * The plugin `rateLimit`, also called `fastifyRateLimit`, is the default export and what `require`
 * returns, with everything else as properties.
 *
 * @packageDocumentation
 */

import { compositeKey } from "@tidegate/core/http";
import { ipKeyGenerator } from "./ip-key-generator.ts";
import { normalizeIP } from "./parity/normalize-ip.ts";
import { rateLimit } from "./plugin.ts";

export { compositeKey } from "@tidegate/core/http";
export { ipKeyGenerator } from "./ip-key-generator.ts";
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

Object.assign(rateLimit, {
  ...{ rateLimit, fastifyRateLimit: rateLimit, default: rateLimit },
  ...{ compositeKey, ipKeyGenerator, normalizeIP },
});

export { rateLimit, rateLimit as fastifyRateLimit, rateLimit as default };
