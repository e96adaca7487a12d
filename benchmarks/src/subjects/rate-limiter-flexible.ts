/**
 * rate-limiter-flexible's memory limiter, which says no by rejecting its promise.
 */

import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Keys } from "../measure/keys.ts";
import { type Subject, type SubjectOptions, WINDOW_MS } from "./subject.ts";

class RateLimiterFlexible implements Subject {
  readonly #limiter: RateLimiterMemory;

  constructor(options: SubjectOptions) {
    this.#limiter = new RateLimiterMemory({
      points: options.limit,
      duration: WINDOW_MS / 1_000,
    });
  }

  async run(keys: Keys): Promise<number> {
    let allowed = 0;
    for (let position = 0; position < keys.length; position++) {
      try {
        const { consumedPoints } = await this.#limiter.consume(keys.key(position));
        if (consumedPoints > 0) allowed++;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
      }
    }
    return allowed;
  }

  keysHeld(): undefined {
    return undefined;
  }

  close(): void {}
}

export function openRateLimiterFlexible(options: SubjectOptions): Subject {
  return new RateLimiterFlexible(options);
}
