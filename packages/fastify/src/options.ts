/**
 * The options and other types that users of @fastify/rate-limit know, and what tidegate adds to them.
 */

import type { Limiter } from "@tidegate/core";
import type { Cost, GateOptions, MaybePromise, WarningSwitches } from "@tidegate/core/http";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A user's function that gets the key of a request; a mere question has no reply. */
export type RequestWithKey<Answer> = (
  request: FastifyRequest,
  key: string,
  reply?: FastifyReply | undefined,
) => MaybePromise<Answer>;

/** What every limit has that counts, whether or not there is a reply. */
export type Countable = Pick<
  GateOptions<FastifyRequest, FastifyReply | undefined>,
  | ("preset" | "name" | "cluster" | "onPartition" | "clock" | "maxKeys")
  | ("key" | "policies" | "skip" | "ipv6Subnet" | "translationPrefixes" | "onPermissiveProxy")
  | ("onError" | "username" | "addressLimit")
>;

/** What a builder of responses is told; it is called as users' types say. */
export interface errorResponseBuilderContext {
  statusCode: number;
  ban: boolean;
  after: string;
  max: number;
  ttl: number;
}

export type RateLimitHook = "onRequest" | "preParsing" | "preValidation" | "preHandler";

export interface CreateRateLimitOptions extends Countable {
  /**
   * Requests in a window, or a function that knows: of the user, or of the user's plan.
   *
   * @default 1_000
   */
  limit?: number | RequestWithKey<Cost> | undefined;
  /** Another name of `limit`. */
  max?: CreateRateLimitOptions["limit"];
  /**
   * How long a window is, in milliseconds.
   *
   * @default 60_000
   */
  windowMs?: number | RequestWithKey<number> | undefined;
  /** Another name of `windowMs`, which may also be text such as `"1 minute"`. */
  timeWindow?: string | CreateRateLimitOptions["windowMs"];
  /** Another name of `key`, under which false is no key, and the address counts. */
  keyGenerator?: Countable["key"];
  /** Another name of `key`. */
  id?: Countable["key"];
  /**
   * What a request costs, before it is handled, or a function that answers with it.
   *
   * @default 1
   */
  cost?: number | RequestWithKey<Cost> | undefined;
  /** Addresses, networks such as `10.0.0.0/8` and keys that always pass, or a function that knows. */
  allow?: readonly string[] | RequestWithKey<unknown> | undefined;
  /** Keys that are always let through, also as one text with commas between them, or a function that knows. */
  allowList?: string | readonly (string | number)[] | RequestWithKey<unknown> | undefined;
  /** How often a client is refused with 429 within a window before it is with 403. */
  ban?: number | undefined;
  /** Routes, hooks and questions of one group count together. */
  groupId?: string | undefined;
  /** Accepted and ignored: there is no store that could fail. */
  skipOnError?: boolean | undefined;
  /** No custom stores are taken: give `name` and `cluster` instead. */
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
  /** Addresses, networks such as `10.0.0.0/8` and keys that never pass, or a function that knows. */
  block?: readonly string[] | RequestWithKey<unknown> | undefined;
  /** Starts a window anew with every request that is refused. */
  continueExceeding?: boolean | undefined;
  /** Doubles the wait with every request that is refused. */
  exponentialBackoff?: boolean | undefined;
  /** The error of a refusal, or its body: an object, or text. */
  errorResponseBuilder?:
    | ((request: FastifyRequest, context: errorResponseBuilderContext) => object | string)
    | undefined;
  /** Told of every request that is let pass. */
  onExceeding?: ((request: FastifyRequest, key: string) => void) | undefined;
  /** Told of every request that is refused. */
  onExceeded?: ((request: FastifyRequest, key: string) => void) | undefined;
  /** Told of every request that is refused with 403. */
  onBanReach?: ((request: FastifyRequest, key: string) => void) | undefined;
  /** Calls the headers `ratelimit-*` instead of `x-ratelimit-*`. */
  enableDraftSpec?: boolean | undefined;
  /** Which headers refused responses have. */
  addHeaders?: DefaultAddHeaders | DraftSpecAddHeaders | undefined;
  /** Which headers other responses have. */
  addHeadersOnExceeding?: DefaultAddHeadersOnExceeding | DraftSpecAddHeadersOnExceeding | undefined;
  /** Accepted and ignored: `maxKeys` says how many keys are kept. */
  cache?: number | undefined;
}

export interface RateLimitPluginOptions extends RateLimitOptions {
  /**
   * Whether routes without options of their own are limited.
   *
   * @default true
   */
  global?: boolean | undefined;
  /** Which warnings are wanted: all or none, or each by its name. */
  validate?: WarningSwitches | undefined;
  /** No Redis is taken: give `name` and `cluster` instead. */
  redis?: null | undefined;
  /** Accepted and ignored: no two limiters share what they count. */
  nameSpace?: string | undefined;
}

export interface DefaultAddHeadersOnExceeding {
  "x-ratelimit-limit"?: boolean | undefined;
  "x-ratelimit-remaining"?: boolean | undefined;
  "x-ratelimit-reset"?: boolean | undefined;
}

export interface DefaultAddHeaders extends DefaultAddHeadersOnExceeding {
  "retry-after"?: boolean | undefined;
}

export interface DraftSpecAddHeadersOnExceeding {
  "ratelimit-limit"?: boolean | undefined;
  "ratelimit-remaining"?: boolean | undefined;
  "ratelimit-reset"?: boolean | undefined;
}

export interface DraftSpecAddHeaders extends DraftSpecAddHeadersOnExceeding {
  "retry-after"?: boolean | undefined;
}

/** What a store of @fastify/rate-limit is made with. */
// biome-ignore lint/suspicious/noEmptyInterface: it is as users' types say.
export interface FastifyRateLimitOptions {}

/** A store of @fastify/rate-limit; none is taken here. */
export interface FastifyRateLimitStore {
  incr(
    key: string,
    callback: (error: Error | null, result?: { current: number; ttl: number }) => void,
    timeWindow: number,
    max: number,
  ): void;
  child(routeOptions: object): FastifyRateLimitStore;
}

export type FastifyRateLimitStoreCtor = new (
  options: FastifyRateLimitOptions,
) => FastifyRateLimitStore;

/** What a handler or a question counts in. */
export interface Counting {
  /** The limiter of requests without a window of their own. */
  readonly limiter: Limiter;
  /** All that counts: one limiter for each width of window, and with `login` one for user names. */
  readonly limiters: readonly Limiter[];
}

/** What is known of a request that was counted, or only looked at. */
export type RateLimitState =
  | {
      /** It is on a list of those who are always let through. */
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
      /** Whether it was refused; of a look, whether others were, or it would be if that is not counted. */
      isExceeded: boolean;
      isBanned: boolean;
    };

/** Counts a request, or with `increment: false` only looks at it; sends nothing. */
export interface AskRateLimit extends Counting {
  (request: FastifyRequest, options?: { increment?: boolean }): Promise<RateLimitState>;
}
