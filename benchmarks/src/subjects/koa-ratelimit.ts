/**
 * koa-ratelimit's memory limiter: an object per request over one shared `Map`, as its middleware
 * builds it. The middleware also spreads all its options into that object; leaving this out is a
 * little kinder to it than its users' servers are.
 */

import MemoryLimiter, { type MemoryLimiterState } from "koa-ratelimit/limiter/memory.js";
import type { Keys } from "../measure/keys.ts";
import { type Subject, type SubjectOptions, WINDOW_MS } from "./subject.ts";

class KoaRatelimit implements Subject {
  readonly #db = new Map<string, MemoryLimiterState>();
  readonly #limit: number;

  constructor(options: SubjectOptions) {
    this.#limit = options.limit;
  }

  async run(keys: Keys): Promise<number> {
    let allowed = 0;
    for (let position = 0; position < keys.length; position++) {
      const { remaining } = await this.#limiter(keys.key(position)).get();
      if (remaining > 0) allowed++;
    }
    return allowed;
  }

  keysHeld(): number {
    return this.#db.size;
  }

  close(): void {}

  #limiter(id: string): MemoryLimiter {
    return new MemoryLimiter({ db: this.#db, max: this.#limit, duration: WINDOW_MS, id });
  }
}

export function openKoaRatelimit(options: SubjectOptions): Subject {
  return new KoaRatelimit(options);
}
