/**
 * The local store of @fastify/rate-limit, called as its request hook calls it: a callback wrapped
 * in a promise that is awaited. Its cache is made large enough for every key, so that it never
 * evicts, which its default of 5000 keys would make it do.
 */

import LocalStore, { type LocalStoreEntry } from "@fastify/rate-limit/store/LocalStore.js";
import type { Keys } from "../measure/keys.ts";
import { type Subject, type SubjectOptions, WINDOW_MS } from "./subject.ts";

class FastifyRateLimit implements Subject {
  readonly #store: LocalStore;
  readonly #limit: number;

  constructor(options: SubjectOptions) {
    this.#store = new LocalStore(false, false, options.keysMax);
    this.#limit = options.limit;
  }

  async run(keys: Keys): Promise<number> {
    let allowed = 0;
    for (let position = 0; position < keys.length; position++) {
      const key = keys.key(position);
      const { current } = await new Promise<LocalStoreEntry>((resolve, reject) => {
        this.#store.incr(
          key,
          (error, entry) => {
            error ? reject(error) : resolve(entry);
          },
          WINDOW_MS,
          this.#limit,
        );
      });
      if (current <= this.#limit) allowed++;
    }
    return allowed;
  }

  keysHeld(): number {
    return this.#store.lru.size;
  }

  close(): void {}
}

export function openFastifyRateLimit(options: SubjectOptions): Subject {
  return new FastifyRateLimit(options);
}
