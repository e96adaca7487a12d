/**
 * Rate limits for Koa: replaces koa-ratelimit and works across processes.
 *
 * `rateLimit` is the default export, a named one, and what `require` returns, with everything else
 * as properties.
 *
 * @packageDocumentation
 */

import { compositeKey, ipKeyGenerator } from "@tidegate/core/http";
import { rateLimit } from "./rate-limit.ts";

export { compositeKey, ipKeyGenerator } from "@tidegate/core/http";
export type {
  ContextWithKey,
  HeaderNameOptions,
  MiddlewareOptions,
  Options,
  RateLimitMiddleware,
  RateLimitState,
} from "./options.ts";

Object.assign(rateLimit, { rateLimit, compositeKey, ipKeyGenerator, default: rateLimit });

export { rateLimit, rateLimit as default };
