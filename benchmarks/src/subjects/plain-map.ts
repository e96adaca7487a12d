/**
 * The limiter one writes by hand: a `Map` from key to a count and the end of its window.
 *
 * It is synchronous and does nothing beyond counting, forgets no key, and is here as the floor that
 * a limiter built on `Map` and one object per key cannot get below.
 */

import type { Keys } from "../measure/keys.ts";
import { type Subject, type SubjectOptions, WINDOW_MS } from "./subject.ts";

interface Entry {
  count: number;
  resetAt: number;
}

class PlainMap implements Subject {
  readonly #entries = new Map<string, Entry>();
  readonly #limit: number;

  constructor(options: SubjectOptions) {
    this.#limit = options.limit;
  }

  run(keys: Keys): number {
    let allowed = 0;
    for (let position = 0; position < keys.length; position++) {
      if (this.#check(keys.key(position))) allowed++;
    }
    return allowed;
  }

  keysHeld(): number {
    return this.#entries.size;
  }

  close(): void {
    this.#entries.clear();
  }

  #check(key: string): boolean {
    const now = Date.now();
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#entries.set(key, { count: 1, resetAt: now + WINDOW_MS });
      return this.#limit >= 1;
    }
    if (entry.resetAt <= now) {
      entry.count = 0;
      entry.resetAt = now + WINDOW_MS;
    }
    entry.count++;
    return entry.count <= this.#limit;
  }
}

export function openPlainMap(options: SubjectOptions): Subject {
  return new PlainMap(options);
}
