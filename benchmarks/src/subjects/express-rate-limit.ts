/**
 * express-rate-limit's default store, awaited and compared with the limit as its middleware does.
 */

import { MemoryStore, type Options } from "express-rate-limit";
import type { Keys } from "../measure/keys.ts";
import { type Subject, type SubjectOptions, WINDOW_MS } from "./subject.ts";

class ExpressRateLimit implements Subject {
  readonly #store = new MemoryStore();
  readonly #limit: number;

  constructor(options: SubjectOptions) {
    this.#limit = options.limit;
    this.#store.init({ windowMs: WINDOW_MS } as Options); // It reads nothing else.
  }

  async run(keys: Keys): Promise<number> {
    let allowed = 0;
    for (let position = 0; position < keys.length; position++) {
      const { totalHits } = await this.#store.increment(keys.key(position));
      if (totalHits <= this.#limit) allowed++;
    }
    return allowed;
  }

  keysHeld(): number {
    return this.#store.current.size + this.#store.previous.size;
  }

  close(): void {
    this.#store.shutdown();
  }
}

export function openExpressRateLimit(options: SubjectOptions): Subject {
  return new ExpressRateLimit(options);
}
