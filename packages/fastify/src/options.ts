/**
 * The options and other types that users of @fastify/rate-limit know, and what tidegate adds to them.
 */

import type { Limiter } from "@tidegate/core";
import type { Cost, GateOptions, MaybePromise, WarningSwitches } from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type {
  DefaultAddHeaders,
  DefaultAddHeadersOnExceeding,
  DraftSpecAddHeaders,
  DraftSpecAddHeadersOnExceeding,
  errorResponseBuilderContext,
} from "./parity/peer-types.ts";

/**
 * A user's function that receives the key of a request; `createRateLimit` calls it without a reply.
 */
export type RequestWithKey<Answer> = (
  request: FastifyRequest,
  key: string,
  reply?: FastifyReply | undefined,
) => MaybePromise<Answer>;

/** Options of every limit, with or without a reply. */
export type Countable = Pick<
  GateOptions<FastifyRequest, FastifyReply | undefined>,
  | ("preset" | "name" | "cluster" | "onPartition" | "clock" | "maxKeys")
  | ("key" | "policies" | "skip" | "ipv6Subnet" | "translationPrefixes" | "onPermissiveProxy")
  | ("onError" | "username" | "addressLimit")
>;

export type RateLimitHook = "onRequest" | "preParsing" | "preValidation" | "preHandler";

export interface CreateRateLimitOptions extends Countable {
  /**
   * Requests in a window, or a function that returns the limit: for the user, or for the user's
   * plan.
   *
   * @default 1_000
   */
  limit?: number | RequestWithKey<Cost> | undefined;
  /** Another name of `limit`. */
  max?: CreateRateLimitOptions["limit"];
  /**
   * The length of a window, in milliseconds.
   *
   * @default 60_000
   */
  windowMs?: number | RequestWithKey<number> | undefined;
  /** Another name of `windowMs`, which may also be text such as `"1 minute"`. */
  timeWindow?: string | CreateRateLimitOptions["windowMs"];
  /** Another name of `key`; under it, false means no key, and the address counts. */
  keyGenerator?: Countable["key"];
  /** Another name of `key`. */
  id?: Countable["key"];
  /**
   * The cost of a request, known before it is handled, or a function that returns it.
   *
   * @default 1
   */
  cost?: number | RequestWithKey<Cost> | undefined;
  /**
   * Addresses, networks such as `10.0.0.0/8` and keys that are always allowed, or a function that
   * decides.
   */
  allow?: readonly string[] | RequestWithKey<unknown> | undefined;
  /**
   * Keys that are always allowed, also as one text with commas between them, or a function that
   * decides.
   */
  allowList?: string | readonly (string | number)[] | RequestWithKey<unknown> | undefined;
  /** After this many refusals with 429 within a window, a client is refused with 403. */
  ban?: number | undefined;
  /** Routes, hooks and `createRateLimit` functions of one group count together. */
  groupId?: string | undefined;
  /** Accepted and ignored: there is no store that could fail. */
  skipOnError?: boolean | undefined;
  /** Custom stores are not supported: give `name` and `cluster` instead. */
  store?: undefined;
}

export interface RateLimitOptions
  extends CreateRateLimitOptions,
    Omit<
      GateOptions<FastifyRequest, FastifyReply>,
      "limit" | "windowMs" | "cost" | "allow" | "block" | keyof Countable
    > {
  /**
   * The hook of a request's life in which it is counted.
   *
   * @default "onRequest"
   */
  hook?: RateLimitHook | undefined;
  /**
   * Addresses, networks such as `10.0.0.0/8` and keys that are never allowed, or a function that
   * decides.
   */
  block?: readonly string[] | RequestWithKey<unknown> | undefined;
  /** Restarts the window with every refused request. */
  continueExceeding?: boolean | undefined;
  /** Doubles the wait with every refused request. */
  exponentialBackoff?: boolean | undefined;
  /** The error of a refusal, or its body: an object, or text. */
  errorResponseBuilder?:
    | ((request: FastifyRequest, context: errorResponseBuilderContext) => object | string)
    | undefined;
  /** Called for every allowed request. */
  onExceeding?: ((request: FastifyRequest, key: string) => void) | undefined;
  /** Called for every refused request. */
  onExceeded?: ((request: FastifyRequest, key: string) => void) | undefined;
  /** Called for every request that is refused with 403. */
  onBanReach?: ((request: FastifyRequest, key: string) => void) | undefined;
  /** Calls the headers `ratelimit-*` instead of `x-ratelimit-*`. */
  enableDraftSpec?: boolean | undefined;
  /** Which headers refused responses have. */
  addHeaders?: DefaultAddHeaders | DraftSpecAddHeaders | undefined;
  /** Which headers other responses have. */
  addHeadersOnExceeding?: DefaultAddHeadersOnExceeding | DraftSpecAddHeadersOnExceeding | undefined;
  /** Accepted and ignored: `maxKeys` bounds the keys in memory. */
  cache?: number | undefined;
}

export interface RateLimitPluginOptions extends RateLimitOptions {
  /**
   * Whether routes without options of their own are limited.
   *
   * @default true
   */
  global?: boolean | undefined;
  /** Which warnings are emitted: all or none, or each by its name. */
  validate?: WarningSwitches | undefined;
  /** Redis is not supported: give `name` and `cluster` instead. */
  redis?: null | undefined;
  /** Accepted and ignored: no two limiters share their counts. */
  nameSpace?: string | undefined;
}

/** The limiters of a handler or a `createRateLimit` function. */
export interface Counting {
  /** The limiter of requests without a window length of their own. */
  readonly limiter: Limiter;
  /** All limiters: one for each length of window, and with `login` one for user names. */
  readonly limiters: readonly Limiter[];
}

/** The state of a request that was counted or only peeked at. */
export type RateLimitState =
  | {
      /** It is on the list of clients that are always allowed. */
      isAllowed: true;
      key: string;
    }
  | {
      isAllowed: false;
      key: string;
      max: number;
      timeWindow: number;
      remaining: number;
      ttl: number;
      ttlInSeconds: number;
      /**
       * Whether it was refused. Without counting: whether a request was refused before, or this one
       * would be.
       */
      isExceeded: boolean;
      isBanned: boolean;
    };

/** Counts a request, or with `increment: false` only peeks; sends nothing. */
export interface AskRateLimit extends Counting {
  (request: FastifyRequest, options?: { increment?: boolean }): Promise<RateLimitState>;
}
