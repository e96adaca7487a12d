/** The parts of packages that come without types, as far as they are called here. */

declare module "@fastify/rate-limit/store/LocalStore.js" {
  export interface LocalStoreEntry {
    readonly current: number;
    readonly ttl: number;
  }

  // biome-ignore lint/style/noDefaultExport: this is how the package exports it.
  export default class LocalStore {
    readonly lru: { readonly size: number };
    constructor(continueExceeding: boolean, exponentialBackoff: boolean, cache: number);
    incr(
      key: string,
      done: (error: Error | null, entry: LocalStoreEntry) => void,
      timeWindow: number,
      max: number,
    ): void;
  }
}

declare module "koa-ratelimit" {
  import type { Middleware } from "koa";

  // biome-ignore lint/style/noDefaultExport: this is how the package exports it.
  export default function rateLimit(options: {
    driver: "memory";
    db: Map<unknown, unknown>;
    max: number;
    duration: number;
    disableHeader: boolean;
  }): Middleware;
}

declare module "koa-ratelimit/limiter/memory.js" {
  export interface MemoryLimiterState {
    readonly remaining: number;
  }

  // biome-ignore lint/style/noDefaultExport: this is how the package exports it.
  export default class MemoryLimiter {
    constructor(options: {
      id: string;
      db: Map<string, MemoryLimiterState>;
      max: number;
      duration: number;
    });
    get(): Promise<MemoryLimiterState>;
  }
}
