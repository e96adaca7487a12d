/**
 * Requests that arrive by chance at a given rate, made as soon as a timer allows.
 */

import { seededRandom } from "../measure/random.ts";

export interface ArrivalOptions {
  readonly perSecond: number;
  readonly seconds: number;
  readonly seed: number;
}

/** Calls `request` for each arrival, with the number of it; resolves when the time is over. */
export function forEachArrival(
  { perSecond, seconds, seed }: ArrivalOptions,
  request: (number: number) => void,
): Promise<void> {
  const random = seededRandom(seed);
  const meanMs = 1_000 / perSecond;
  const startMs = performance.now();
  const endMs = startMs + 1_000 * seconds;
  let nextMs = startMs + gap();
  let made = 0;
  function gap(): number {
    return -Math.log(1 - random()) * meanMs;
  }
  return new Promise((resolve) => {
    const goOn = (): void => {
      const now = performance.now();
      for (; nextMs <= now && nextMs < endMs; nextMs += gap()) request(made++);
      if (now >= endMs) resolve();
      else setTimeout(goOn, 1);
    };
    goOn();
  });
}
