/**
 * The options and other types that users of koa-ratelimit know, and what tidegate adds to them.
 */

import type { Limiter } from "@tidegate/core";
import type { Cost, GateOptions, MaybePromise, Refusal, ShownKey } from "@tidegate/core/http";
import type { Context, Next } from "koa";

/** A user's function that receives the key of a request. */
export type ContextWithKey<Answer> = (context: Context, key: ShownKey) => MaybePromise<Answer>;

/** The names of the headers. */
export interface HeaderNameOptions {
  /**
   * The header with the remaining requests.
   *
   * @default "X-RateLimit-Remaining"
   */
  readonly remaining?: string | undefined;
  /**
   * The header with the end of the window.
   *
   * @default "X-RateLimit-Reset"
   */
  readonly reset?: string | undefined;
  /**
   * The header with the limit.
   *
   * @default "X-RateLimit-Limit"
   */
  readonly total?: string | undefined;
}

export interface Options
  extends Omit<
    GateOptions<Context, Context>,
    "limit" | "windowMs" | "cost" | "allow" | "block" | "onLimited"
  > {
  /**
   * Requests in a window, or a function that returns the limit: for the user, or for the user's
   * plan.
   *
   * @default 2_500
   */
  readonly limit?: number | ContextWithKey<Cost> | undefined;
  /** Another name of `limit`. */
  readonly max?: Options["limit"];
  /**
   * The length of a window, in milliseconds.
   *
   * @default 3_600_000
   */
  readonly windowMs?: number | ContextWithKey<number> | undefined;
  /** Another name of `windowMs`. */
  readonly duration?: Options["windowMs"];
  /** Another name of `key`; false lets the request pass uncounted. */
  readonly id?: GateOptions<Context, Context>["key"];
  /** Another name of `key`; under it, false means no key, and the address counts. */
  readonly keyGenerator?: GateOptions<Context, Context>["key"];
  /**
   * The cost of a request, known before it is handled, or a function that returns it.
   *
   * @default 1
   */
  readonly cost?: number | ContextWithKey<Cost> | undefined;
  /**
   * Addresses, networks such as `10.0.0.0/8` and keys that are always allowed, or a function that
   * decides.
   */
  readonly allow?: readonly string[] | ContextWithKey<unknown> | undefined;
  /** Another name of `allow`. */
  readonly whitelist?: Options["allow"];
  /**
   * Addresses, networks such as `10.0.0.0/8` and keys that are never allowed, or a function that
   * decides.
   */
  readonly block?: readonly string[] | ContextWithKey<unknown> | undefined;
  /** Another name of `block`. */
  readonly blacklist?: Options["block"];
  /** Names for the headers with the state of the limit. */
  readonly headers?: HeaderNameOptions | undefined;
  /** Omits those headers; a refusal states its wait anyway. */
  readonly disableHeader?: boolean | undefined;
  /**
   * The body of a refusal; an object becomes JSON.
   *
   * @default "Rate limit exceeded, retry in 1 minute."
   */
  readonly errorMessage?: string | object | undefined;
  /** Another name of `statusCode`. */
  readonly status?: number | undefined;
  /** Throws refusals, for a middleware before this one to catch. */
  readonly throw?: boolean | undefined;
  /** Called for every request that is refused, or in a dry run would be. */
  readonly onLimited?: ((context: Context, refusal: Refusal) => unknown) | undefined;
  /** Which warnings are emitted: all or none, or each by its name. */
  readonly validate?: boolean | Readonly<Record<string, boolean | undefined>> | undefined;
  /** Accepted and ignored: this process counts in memory, or a `cluster` counts together. */
  readonly driver?: "memory" | undefined;
  /** Accepted and ignored, like `driver`. */
  readonly db?: ReadonlyMap<unknown, unknown> | undefined;
  /** Accepted and ignored: no two limiters share their counts. */
  readonly namespace?: string | undefined;
}

export type MiddlewareOptions = Options;

/** What later middleware finds in `ctx.state.rateLimit` after a refusal. */
export interface RateLimitState {
  /** Seconds to wait. */
  readonly after: number;
  /** The headers with the state of the limit, as they were sent. */
  readonly headers: Readonly<Record<string, number>>;
  readonly id: ShownKey | null;
  readonly message: string | object;
}

export interface RateLimitMiddleware {
  (context: Context, next: Next): Promise<unknown>;
  /** The limiter of requests without a window length of their own. */
  readonly limiter: Limiter;
  /** All limiters: one for each length of window, and with `login` one for user names. */
  readonly limiters: readonly Limiter[];
}
