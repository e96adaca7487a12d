/**
 * The longest turn of the event loop while something goes on, by the runtime's own histogram.
 *
 * A timer that should end every millisecond ends late when a turn is long, whoever made it so: the
 * program, the collector of rubbish, or another process on the same processor. So the same is measured
 * while nothing goes on.
 */

import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";

const RESOLUTION_MS = 1;

export class LoopTurns {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#histogram.enable();
  }

  /** The longest turn since this was made or asked last, in milliseconds. */
  takeLongestMs(): number {
    const longestMs = Math.max(0, this.#histogram.max / 1e6 - RESOLUTION_MS);
    this.#histogram.reset();
    return longestMs;
  }

  stop(): void {
    this.#histogram.disable();
  }
}
