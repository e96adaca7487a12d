/**
 * The options and other types that users of express-rate-limit know, and what tidegate adds to them.
 */

import type { Limiter } from "@tidegate/core";
import type { GateOptions, KeyAnswer } from "@tidegate/core/http";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import type { ClientRateLimitInfo, LegacyStore, Store } from "./parity/store.ts";

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
  | "unreadBody"
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
  /**
   * How long a window is, in milliseconds.
   *
   * @default 60_000
   */
  windowMs: number;
  /**
   * How many requests a client may send in a window, or a function that answers with it. `0` refuses every
   * request.
   *
   * @default 5
   */
  limit: number | ValueDeterminingMiddleware<number>;
  /** The older name of `limit`, which wins where both are given. */
  max?: number | ValueDeterminingMiddleware<number>;
  /**
   * The body of a refusal: whatever `res.send` takes, or a function that answers with it.
   *
   * @default "Too many requests, please try again later."
   */
  // biome-ignore lint/suspicious/noExplicitAny: whatever `res.send` takes, as users' types say.
  message: any | ValueDeterminingMiddleware<any>;
  /**
   * The status of a refusal.
   *
   * @default 429
   */
  statusCode: number;
  /**
   * Whether responses have the headers `X-RateLimit-Limit`, `-Remaining` and `-Reset`.
   *
   * @default true; with the presets `api` and `login` false
   */
  legacyHeaders: boolean;
  /** The older name of `legacyHeaders`, which wins where both are given. */
  headers?: boolean;
  /**
   * Which fields of the IETF draft responses have: those of one revision, none with `false`, or with `true`
   * those of draft-6, with the preset `api` of draft-11.
   *
   * @default false; with the preset `api` "draft-11"
   */
  standardHeaders: boolean | DraftHeadersVersion;
  /**
   * What the limit is called in the fields of draft-8 and draft-11, or a function that answers with it.
   *
   * @default the limit and the window, such as "100-in-15min"; with the preset `api` the `name`
   */
  identifier: string | ValueDeterminingMiddleware<string>;
  /**
   * Another wait for `Retry-After` than the computed one, in seconds, or a function that answers with it.
   * The limit itself stays as it is.
   *
   * @default the time until a request may pass again
   */
  retryAfter?: number | ValueDeterminingMiddleware<number>;
  /**
   * The property of the request that tells of its limit, as a `RateLimitInfo`.
   *
   * @default "rateLimit"
   */
  requestPropertyName: string;
  /**
   * Gives the hits of requests back that failed: that were answered with a status of 400 or more, or not
   * answered at all.
   *
   * @default false
   */
  skipFailedRequests: boolean;
  /**
   * Gives the hits of requests back that succeeded.
   *
   * @default false
   */
  skipSuccessfulRequests: boolean;
  /**
   * Answers with the key that a request is counted by.
   *
   * @default the address of the client, IPv6 by its network
   */
  keyGenerator: GateOptions<Request, Response>["key"];
  /** Another name of `keyGenerator`, under which false lets the request pass uncounted, as `key` does. */
  id?: GateOptions<Request, Response>["key"];
  /**
   * How many bits of an IPv6 address are its key, from 32 to 64; `false` for all of them, or a function that
   * answers with the number.
   *
   * @default 56
   */
  ipv6Subnet: number | ValueDeterminingMiddleware<number> | false;
  /** Answers refused requests itself, in the place of `message` and `statusCode`. */
  handler: RateLimitExceededEventHandler;
  /** Answers with true for a request that passes uncounted, without headers. */
  skip: ValueDeterminingMiddleware<boolean>;
  /**
   * Whether a request succeeded, for `skipFailedRequests` and `skipSuccessfulRequests`.
   *
   * @default the status is below 400
   */
  requestWasSuccessful: ValueDeterminingMiddleware<boolean>;
  /**
   * A store of express-rate-limit that counts instead of this process. For one limit over several processes
   * `name` and `cluster` need none.
   *
   * @default none: this process counts, or the `cluster`
   */
  store: Store | LegacyStore;
  /**
   * Lets a request pass uncounted where the `store` fails; otherwise Express gets the error.
   *
   * @default false
   */
  passOnStoreError: boolean;
  /**
   * How long a store may take to answer before that is an error.
   *
   * @default 5_000
   */
  storeTimeoutMs: number;
  /**
   * Which warnings are wanted: all or none, or each by its name.
   *
   * @default true
   */
  validate: boolean | EnabledValidations;
  /**
   * What warnings are told to.
   *
   * @default the warnings of the process, which Node prints
   */
  logger: Logger;
};

/** The options as they are given: all may be left out, and windows and limits may be by user. */
export type RateLimitOptions = Omit<Partial<Options>, "windowMs" | "limit" | "max"> & {
  /**
   * How long a window is, in milliseconds, or a function that answers with it; each width is a limiter of
   * its own.
   *
   * @default 60_000; with the preset `login` 900_000
   */
  readonly windowMs?: GateOptions<Request, Response>["windowMs"];
  /**
   * How many requests a client may send in a window, or a function that answers with it: of the user, or of
   * the user's plan. `0` refuses every request.
   *
   * @default 5; with the preset `api` there is none
   */
  readonly limit?: GateOptions<Request, Response>["limit"];
  /** The older name of `limit`, which wins where both are given. */
  readonly max?: GateOptions<Request, Response>["limit"];
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
