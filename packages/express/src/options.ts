/**
 * The options and other types that users of express-rate-limit know, and what tidegate adds to them.
 */

import type { Limiter } from "@tidegate/core";
import type { GateOptions, KeyAnswer } from "@tidegate/core/http";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { ClientRateLimitInfo, LegacyStore, Store } from "./store.ts";

export type ValueDeterminingMiddleware<T> = (
  request: Request,
  response: Response,
) => T | Promise<T>;

export type RateLimitExceededEventHandler = (
  request: Request,
  response: Response,
  next: NextFunction,
  optionsUsed: Options,
) => void;

export type RateLimitReachedEventHandler = (
  request: Request,
  response: Response,
  optionsUsed: Options,
) => void;

export type LoggerFn = (error: unknown, message?: string) => void;

export type Logger = {
  error: LoggerFn;
  warn: LoggerFn;
};

export type DraftHeadersVersion = "draft-6" | "draft-7" | "draft-8" | "draft-11";

/** The names by which warnings are switched off. */
export type ValidationName =
  | "ip"
  | "trustProxy"
  | "xForwardedForHeader"
  | "forwardedHeader"
  | "positiveHits"
  | "unsharedStore"
  | "singleCount"
  | "limit"
  | "draftPolliHeaders"
  | "onLimitReached"
  | "headersDraftVersion"
  | "headersResetTime"
  | "knownOptions"
  | "validationsConfig"
  | "creationStack"
  | "ipv6Subnet"
  | "ipv6SubnetOrKeyGenerator"
  | "keyGeneratorIpFallback"
  | "windowMs"
  | "keyEmpty"
  | "storeFailed"
  | "identifier"
  | "retryAfter"
  | "onError"
  | "afterwards"
  | "numericText";

export type Validations = Readonly<Record<ValidationName, boolean>>;

export type EnabledValidations = { [Name in ValidationName | "default"]?: boolean };

/** What a request was told, as the property `rateLimit` of it. */
export type RateLimitInfo = {
  limit: number;
  used: number;
  remaining: number;
  resetTime: Date | undefined;
  key: string;
};

export type AugmentedRequest = Request & {
  [key: string]: RateLimitInfo;
};

/** What only tidegate knows; see the README for each. */
type Additions = Omit<
  GateOptions<Request, Response>,
  | "limit"
  | "windowMs"
  | "standardHeaders"
  | "legacyHeaders"
  | "identifier"
  | "retryAfter"
  | "statusCode"
  | "skip"
  | "skipFailedRequests"
  | "skipSuccessfulRequests"
  | "requestWasSuccessful"
  | "ipv6Subnet"
>;

/** The options as handlers and stores are told them. */
export type Options = Additions & {
  windowMs: number;
  limit: number | ValueDeterminingMiddleware<number>;
  /** Another name of `limit`. */
  max?: number | ValueDeterminingMiddleware<number>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever `res.send` takes, as users' types say.
  message: any | ValueDeterminingMiddleware<any>;
  statusCode: number;
  legacyHeaders: boolean;
  /** Another name of `legacyHeaders`. */
  headers?: boolean;
  standardHeaders: boolean | DraftHeadersVersion;
  identifier: string | ValueDeterminingMiddleware<string>;
  retryAfter?: number | ValueDeterminingMiddleware<number>;
  requestPropertyName: string;
  skipFailedRequests: boolean;
  skipSuccessfulRequests: boolean;
  keyGenerator: GateOptions<Request, Response>["key"];
  /** Another name of `keyGenerator`, under which false lets the request pass uncounted, as `key` does. */
  id?: GateOptions<Request, Response>["key"];
  ipv6Subnet: number | ValueDeterminingMiddleware<number> | false;
  handler: RateLimitExceededEventHandler;
  skip: ValueDeterminingMiddleware<boolean>;
  requestWasSuccessful: ValueDeterminingMiddleware<boolean>;
  store: Store | LegacyStore;
  passOnStoreError: boolean;
  /**
   * How long a store may take to answer before that is an error.
   *
   * @default 5_000
   */
  storeTimeoutMs: number;
  validate: boolean | EnabledValidations;
  logger: Logger;
};

/** The options as they are given: all may be left out, and windows and limits may be by user. */
export type RateLimitOptions = Omit<Partial<Options>, "windowMs" | "limit" | "max"> &
  Pick<GateOptions<Request, Response>, "windowMs" | "limit"> & {
    /** Another name of `limit`. */
    max?: GateOptions<Request, Response>["limit"];
  };

export type RateLimitRequestHandler = RequestHandler & {
  /** Forgets a key, given as the key generator makes it. */
  resetKey: (key: KeyAnswer) => void;
  /** What is known of a key, given as the key generator makes it. */
  getKey: (
    key: KeyAnswer,
  ) => Promise<ClientRateLimitInfo | undefined> | ClientRateLimitInfo | undefined;
  /** What counts; null while a store of another package does. */
  readonly limiter: Limiter | null;
  /** All that counts: one limiter for each width of window, and with `login` one for user names. */
  readonly limiters: readonly Limiter[];
};
