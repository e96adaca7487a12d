/**
 * Rate limits for Koa: takes the place of koa-ratelimit and holds across processes.
 *
 * `rateLimit` is the default export, a named one, and what `require` returns, with itself as a property.
 *
 * @packageDocumentation
 */

import { rateLimit } from "./rate-limit.ts";

export type {
  ContextWithKey,
  HeaderNameOptions,
  MiddlewareOptions,
  Options,
  RateLimitMiddleware,
  RateLimitState,
} from "./options.ts";

Object.assign(rateLimit, { rateLimit, default: rateLimit });

export { rateLimit, rateLimit as default };
