/**
 * The options and other types that users of koa-ratelimit know, and what tidegate adds to them.
 */

import type { Limiter } from "@tidegate/core";
import type { Cost, GateOptions, MaybePromise, Refusal, ShownKey } from "@tidegate/core/http";
import type { Context, Next } from "koa";

/** A user's function that gets the key of a request. */
export type ContextWithKey<Answer> = (context: Context, key: ShownKey) => MaybePromise<Answer>;

/** What the headers are called. */
export interface HeaderNameOptions {
  /**
   * The header that tells how many requests are left.
   *
   * @default "X-RateLimit-Remaining"
   */
  readonly remaining?: string | undefined;
  /**
   * The header that tells when the window ends.
   *
   * @default "X-RateLimit-Reset"
   */
  readonly reset?: string | undefined;
  /**
   * The header that tells the limit.
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
   * Requests in a window, or a function that knows: of the user, or of the user's plan.
   *
   * @default 2_500
   */
  readonly limit?: number | ContextWithKey<Cost> | undefined;
  /** Another name of `limit`. */
  readonly max?: Options["limit"];
  /**
   * How long a window is, in milliseconds.
   *
   * @default 3_600_000
   */
  readonly windowMs?: number | ContextWithKey<number> | undefined;
  /** Another name of `windowMs`. */
  readonly duration?: Options["windowMs"];
  /** Another name of `key`; false lets the request pass uncounted. */
  readonly id?: GateOptions<Context, Context>["key"];
  /** Another name of `key`, under which false is no key, and the address counts. */
  readonly keyGenerator?: GateOptions<Context, Context>["key"];
  /**
   * What a request costs, before it is handled, or a function that answers with it.
   *
   * @default 1
   */
  readonly cost?: number | ContextWithKey<Cost> | undefined;
  /** Addresses, networks such as `10.0.0.0/8` and keys that always pass, or a function that knows. */
  readonly allow?: readonly string[] | ContextWithKey<unknown> | undefined;
  /** Another name of `allow`. */
  readonly whitelist?: Options["allow"];
  /** Addresses, networks such as `10.0.0.0/8` and keys that never pass, or a function that knows. */
  readonly block?: readonly string[] | ContextWithKey<unknown> | undefined;
  /** Another name of `block`. */
  readonly blacklist?: Options["block"];
  /** Names for the headers that tell of the limit. */
  readonly headers?: HeaderNameOptions | undefined;
  /** Leaves those headers out; a refusal tells how long to wait all the same. */
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
  /** Told of every request that is refused, or in a dry run would be. */
  readonly onLimited?: ((context: Context, refusal: Refusal) => unknown) | undefined;
  /** Which warnings are wanted: all or none, or each by its name. */
  readonly validate?: boolean | Readonly<Record<string, boolean | undefined>> | undefined;
  /** Accepted and ignored: counts are kept in this process, and in a `cluster` by all of them. */
  readonly driver?: "memory" | undefined;
  /** Accepted and ignored, like `driver`. */
  readonly db?: ReadonlyMap<unknown, unknown> | undefined;
  /** Accepted and ignored: no two limiters share what they count. */
  readonly namespace?: string | undefined;
}

export type MiddlewareOptions = Options;

/** What later middleware finds in `ctx.state.rateLimit` when a request was refused. */
export interface RateLimitState {
  /** Seconds to wait. */
  readonly after: number;
  /** The headers that tell of the limit, as they were sent. */
  readonly headers: Readonly<Record<string, number>>;
  readonly id: ShownKey | null;
  readonly message: string | object;
}

export interface RateLimitMiddleware {
  (context: Context, next: Next): Promise<unknown>;
  /** The limiter of requests without a window of their own. */
  readonly limiter: Limiter;
  /** All that counts: one limiter for each width of window, and with `login` one for user names. */
  readonly limiters: readonly Limiter[];
}
