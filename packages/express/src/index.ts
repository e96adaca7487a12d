/**
 * Rate limits for Express: takes the place of express-rate-limit and holds across processes.
 *
 * `rateLimit` is the default export, a named one, and what `require` returns, with everything else as
 * properties.
 *
 * @packageDocumentation
 */

import { DAY, HOUR, MINUTE, SECOND } from "@tidegate/core";
import { compositeKey } from "@tidegate/core/http";
import { ipKeyGenerator } from "./ip-key-generator.ts";
import { MemoryStore, tidegateStore } from "./limiter-store.ts";
import { rateLimit } from "./rate-limit.ts";

export { DAY, HOUR, MINUTE, SECOND } from "@tidegate/core";
export { compositeKey } from "@tidegate/core/http";
export { ipKeyGenerator } from "./ip-key-generator.ts";
export { MemoryStore, type TidegateStoreOptions, tidegateStore } from "./limiter-store.ts";
export type {
  AugmentedRequest,
  DraftHeadersVersion,
  EnabledValidations,
  Logger,
  LoggerFn,
  Options,
  RateLimitExceededEventHandler,
  RateLimitInfo,
  RateLimitOptions,
  RateLimitReachedEventHandler,
  RateLimitRequestHandler,
  ValidationName,
  Validations,
  ValueDeterminingMiddleware,
} from "./options.ts";
export type {
  Client,
  ClientRateLimitInfo,
  IncrementCallback,
  IncrementResponse,
  LegacyStore,
  Store,
} from "./store.ts";

Object.assign(rateLimit, {
  ...{ rateLimit, MemoryStore, compositeKey, ipKeyGenerator, tidegateStore },
  ...{ SECOND, MINUTE, HOUR, DAY, default: rateLimit },
});

export { rateLimit, rateLimit as default };
