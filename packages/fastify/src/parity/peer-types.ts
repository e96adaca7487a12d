/** Types of @fastify/rate-limit that its users know by their names. */

/** The second argument of a response builder. */
export interface errorResponseBuilderContext {
  statusCode: number;
  ban: boolean;
  after: string;
  max: number;
  ttl: number;
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

/** The options of a store of @fastify/rate-limit. */
// biome-ignore lint/suspicious/noEmptyInterface: it is as users' types say.
export interface FastifyRateLimitOptions {}

/** A store of @fastify/rate-limit; stores are not supported here. */
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
