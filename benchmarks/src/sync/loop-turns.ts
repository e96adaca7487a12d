/**
 * The longest turn of the event loop while something goes on.
 *
 * A timer that should end every millisecond ends late when a turn is long, for any cause: the
 * program, the collector of rubbish, or another process on the same processor. `turnMs` is that, by the
 * runtime's own histogram. `ownMs` is how long the thread was on a processor between two such timers,
 * which is what the program can do something about; only Linux tells.
 */

import { openSync, readSync } from "node:fs";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { pid } from "node:process";

const RESOLUTION_MS = 1;
const STATISTICS_BYTES_MAX = 128;

/** The longest turn; `ownMs` is absent where it is unknown. */
export interface LongestTurn {
  readonly turnMs: number;
  readonly ownMs?: number;
}

export class LoopTurns {
  readonly #histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #thread = ThreadTime.open();
  readonly #timer: ReturnType<typeof setInterval>;
  #ownMs = 0;
  #before: number;

  constructor() {
    this.#before = this.#thread?.readMs() ?? 0;
    this.#timer = setInterval(() => this.#look(), RESOLUTION_MS);
    this.#histogram.enable();
  }

  /** The longest turn since this was made or asked last. */
  take(): LongestTurn {
    this.#look();
    const turnMs = Math.max(0, this.#histogram.max / 1e6 - RESOLUTION_MS);
    this.#histogram.reset();
    const ownMs = this.#ownMs;
    this.#ownMs = 0;
    return this.#thread === undefined ? { turnMs } : { turnMs, ownMs };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#histogram.disable();
  }

  #look(): void {
    if (this.#thread === undefined) return;
    const now = this.#thread.readMs();
    this.#ownMs = Math.max(this.#ownMs, now - this.#before);
    this.#before = now;
  }
}

/** The time that the main thread of this process has been on a processor. */
class ThreadTime {
  readonly #file: number;
  readonly #buffer = Buffer.alloc(STATISTICS_BYTES_MAX);

  private constructor(file: number) {
    this.#file = file;
  }

  static open(): ThreadTime | undefined {
    try {
      return new ThreadTime(openSync(`/proc/self/task/${pid}/schedstat`, "r"));
    } catch {
      return undefined;
    }
  }

  /** Milliseconds; the first of the figures is nanoseconds. */
  readMs(): number {
    const length = readSync(this.#file, this.#buffer, 0, STATISTICS_BYTES_MAX, 0);
    return Number(this.#buffer.toString("latin1", 0, length).split(" ")[0]) / 1e6;
  }
}
