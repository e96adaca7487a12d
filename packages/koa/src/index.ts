/**
 * Rate limits for Koa: takes the place of koa-ratelimit and holds across processes.
 *
 * `rateLimit` is the default export, a named one, and what `require` returns, with everything else as
 * properties.
 *
 * @packageDocumentation
 */

import { compositeKey } from "@tidegate/core/http";
import { ipKeyGenerator } from "./ip-key-generator.ts";
import { rateLimit } from "./rate-limit.ts";

export { compositeKey } from "@tidegate/core/http";
export { ipKeyGenerator } from "./ip-key-generator.ts";
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
