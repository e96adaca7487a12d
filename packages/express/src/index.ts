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
import { ipKeyGenerator } from "./parity/ip-key-generator.ts";
import { MemoryStore, tidegateStore } from "./parity/limiter-store.ts";
import { rateLimit } from "./rate-limit.ts";

export { DAY, HOUR, MINUTE, SECOND } from "@tidegate/core";
export { compositeKey } from "@tidegate/core/http";
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
export { ipKeyGenerator } from "./parity/ip-key-generator.ts";
export { MemoryStore, type TidegateStoreOptions, tidegateStore } from "./parity/limiter-store.ts";
export type {
  Client,
  ClientRateLimitInfo,
  IncrementCallback,
  IncrementResponse,
  LegacyStore,
  Store,
} from "./parity/store.ts";

Object.assign(rateLimit, {
  ...{ rateLimit, MemoryStore, compositeKey, ipKeyGenerator, tidegateStore },
  ...{ SECOND, MINUTE, HOUR, DAY, default: rateLimit },
});

export { rateLimit, rateLimit as default };
