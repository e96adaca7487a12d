/**
 * What a cluster tells its operators: never so many sentences that they bury each other, whatever others
 * send.
 */

import type { SteadyTime } from "./time/clock.ts";

const MINUTE_MS = 60_000;
/** Sentences that are told in a minute. */
const TOLD_MAX = 30;

export class Reports {
  /** How often something went wrong, told or not, and what it was the last time. */
  troubles = 0;
  last: string | null = null;
  readonly #time: SteadyTime;
  readonly #tell: (sentence: string) => void;
  #toldAtMs: number[] = [];

  constructor(time: SteadyTime, tell: (sentence: string) => void) {
    this.#time = time;
    this.#tell = tell;
  }

  take(sentence: string): void {
    this.troubles++;
    this.last = sentence;
    const now = this.#time.read();
    this.#toldAtMs = this.#toldAtMs.filter((atMs) => now - atMs < MINUTE_MS);
    if (this.#toldAtMs.length >= TOLD_MAX) return;
    this.#toldAtMs.push(now);
    this.#tell(sentence);
  }
}
