/** Types of express-rate-limit that its users know by their names; first those of stores. */

import type { NextFunction, Request, Response } from "express";
import type { Options } from "../options.ts";

/** A client's state in a store. */
export type ClientRateLimitInfo = {
  totalHits: number;
  resetTime: Date | undefined;
};

/** A client's state in `MemoryStore`. */
export type Client = {
  totalHits: number;
  resetTime: Date;
};

export type IncrementResponse = ClientRateLimitInfo;

export type IncrementCallback = (
  error: Error | undefined,
  totalHits: number,
  resetTime: Date | undefined,
) => void;

/** A store that counts hits. */
export type Store = {
  /** Receives the options of its limiter, from either package. */
  // biome-ignore lint/suspicious/noExplicitAny: stores are typed by either package's options.
  init?: (options: any) => void | Promise<void>;
  get?: (key: string) => Promise<ClientRateLimitInfo | undefined> | ClientRateLimitInfo | undefined;
  increment: (key: string) => Promise<IncrementResponse> | IncrementResponse;
  decrement: (key: string) => Promise<void> | void;
  resetKey: (key: string) => Promise<void> | void;
  resetAll?: () => Promise<void> | void;
  shutdown?: () => Promise<void> | void;
  /** Whether the keys of two store objects are separate. */
  localKeys?: boolean;
  prefix?: string;
};

/** The store interface from before promises. */
export type LegacyStore = {
  incr: (key: string, callback: IncrementCallback) => void;
  decrement: (key: string) => void;
  resetKey: (key: string) => void;
  resetAll?: () => void;
};

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

/** The state of a request's limit, as the request's property `rateLimit`. */
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
