/**
 * The options and other types that users of express-rate-limit know, and what tidegate adds to them.
 */

import type { Limiter } from "@tidegate/core";
import type { GateOptions, KeyAnswer } from "@tidegate/core/http";
import type { Request, RequestHandler, Response } from "express";
import type {
  ClientRateLimitInfo,
  DraftHeadersVersion,
  EnabledValidations,
  LegacyStore,
  Logger,
  RateLimitExceededEventHandler,
  Store,
  ValueDeterminingMiddleware,
} from "./parity/peer-types.ts";

/** The options that only tidegate has; see the README for each. */
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

/** The options as handlers and stores receive them. */
export type Options = Additions & {
  /**
   * The length of a window, in milliseconds.
   *
   * @default 60_000
   */
  windowMs: number;
  /**
   * How many requests a client may send in a window, or a function that returns it. `0` refuses
   * every request.
   *
   * @default 5
   */
  limit: number | ValueDeterminingMiddleware<number>;
  /** The older name of `limit`; `limit` wins where both are given. */
  max?: number | ValueDeterminingMiddleware<number>;
  /**
   * The body of a refusal: whatever `res.send` takes, or a function that returns it.
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
  /** The older name of `legacyHeaders`; that one wins where both are given. */
  headers?: boolean;
  /**
   * Which fields of the IETF draft responses have: those of one revision, none with `false`, or with `true`
   * those of draft-6, with the preset `api` of draft-11.
   *
   * @default false; with the preset `api` "draft-11"
   */
  standardHeaders: boolean | DraftHeadersVersion;
  /**
   * The name of the limit in the fields of draft-8 and draft-11, or a function that returns it.
   *
   * @default the limit and the window, such as "100-in-15min"; with the preset `api` the `name`
   */
  identifier: string | ValueDeterminingMiddleware<string>;
  /**
   * Another wait for `Retry-After` than the computed one, in seconds, or a function that returns
   * it. The limit itself stays as it is.
   *
   * @default the time until a request may pass again
   */
  retryAfter?: number | ValueDeterminingMiddleware<number>;
  /**
   * The property of the request with the state of its limit, a `RateLimitInfo`.
   *
   * @default "rateLimit"
   */
  requestPropertyName: string;
  /**
   * Refunds the hits of failed requests: those with a status of 400 or more, or without a complete
   * response.
   *
   * @default false
   */
  skipFailedRequests: boolean;
  /**
   * Refunds the hits of successful requests.
   *
   * @default false
   */
  skipSuccessfulRequests: boolean;
  /**
   * Returns the key that a request is counted by.
   *
   * @default the address of the client, IPv6 by its network
   */
  keyGenerator: GateOptions<Request, Response>["key"];
  /** Another name of `keyGenerator`, under which false lets the request pass uncounted, as `key` does. */
  id?: GateOptions<Request, Response>["key"];
  /**
   * How many bits of an IPv6 address make a key, from 32 to 64; `false` for all of them, or a
   * function that returns the number.
   *
   * @default 56
   */
  ipv6Subnet: number | ValueDeterminingMiddleware<number> | false;
  /** Sends the response to refused requests, instead of `message` and `statusCode`. */
  handler: RateLimitExceededEventHandler;
  /** Returns true for a request that passes uncounted, without headers. */
  skip: ValueDeterminingMiddleware<boolean>;
  /**
   * Whether a request succeeded, for `skipFailedRequests` and `skipSuccessfulRequests`.
   *
   * @default the status is below 400
   */
  requestWasSuccessful: ValueDeterminingMiddleware<boolean>;
  /**
   * A store of express-rate-limit that counts instead of this process. A limit over several
   * processes needs no store, only `name` and `cluster`.
   *
   * @default none: this process counts, or the `cluster`
   */
  store: Store | LegacyStore;
  /**
   * Lets a request pass uncounted when the `store` fails; otherwise Express gets the error.
   *
   * @default false
   */
  passOnStoreError: boolean;
  /**
   * How long a store may take to answer before the call fails.
   *
   * @default 5_000
   */
  storeTimeoutMs: number;
  /**
   * Which warnings are emitted: all or none, or each by its name.
   *
   * @default true
   */
  validate: boolean | EnabledValidations;
  /**
   * Receives the warnings.
   *
   * @default the warnings of the process, which Node prints
   */
  logger: Logger;
};

/**
 * The options that a user may give: all are optional, and windows and limits may depend on the
 * request.
 */
export type RateLimitOptions = Omit<Partial<Options>, "windowMs" | "limit" | "max"> & {
  /**
   * The length of a window, in milliseconds, or a function that returns it; each length has a
   * limiter of its own.
   *
   * @default 60_000; with the preset `login` 900_000
   */
  readonly windowMs?: GateOptions<Request, Response>["windowMs"];
  /**
   * How many requests a client may send in a window, or a function that returns it: for the user,
   * or for the user's plan. `0` refuses every request.
   *
   * @default 5; with the preset `api` there is none
   */
  readonly limit?: GateOptions<Request, Response>["limit"];
  /** The older name of `limit`; `limit` wins where both are given. */
  readonly max?: GateOptions<Request, Response>["limit"];
};

export type RateLimitRequestHandler = RequestHandler & {
  /** Resets a key, given as the key generator returns it. */
  resetKey: (key: KeyAnswer) => void;
  /** Returns what is known of a key, given as the key generator returns it. */
  getKey: (
    key: KeyAnswer,
  ) => Promise<ClientRateLimitInfo | undefined> | ClientRateLimitInfo | undefined;
  /** The limiter; null while a store of another package counts. */
  readonly limiter: Limiter | null;
  /** All limiters: one for each length of window, and with `login` one for user names. */
  readonly limiters: readonly Limiter[];
};
