/**
 * What a limiter does when nobody asks: it frees keys in which nothing counts any more, and tells
 * when it had to forget keys that still counted.
 */

import { publishPressure } from "../runtime/diagnostics.ts";
import {
  BEAT_MS,
  type Beat,
  joinProcessTimer,
  leaveProcessTimer,
} from "../runtime/process-timer.ts";
import type { Store } from "../store/store.ts";

/** The most and the fewest records looked at in one beat of the process's timer. */
const LOOKS_MAX = 8_192;
const LOOKS_MIN = 64;
/** The longest that they may take, and how many are looked at between two looks at the time. */
const SWEEP_MS = 3;
const LOOKS_AT_ONCE = 128;
/** How often a record is looked at within its life when no key is added: once in a window. */
const LOOKS_PER_LIFE = 2;

export interface HousekeepingOptions {
  readonly name: string;
  /** How long what is counted lives at most. */
  readonly lifeMs: number;
  /** Tells the store what time it is. */
  readonly advance: () => void;
}

export class Housekeeping {
  readonly #store: Store;
  readonly #options: HousekeepingOptions;
  readonly #beat: Beat;
  #beats = false;
  #isOver = false;
  #keptAt = 0;
  #reported = 0;

  constructor(store: Store, options: HousekeepingOptions) {
    this.#store = store;
    this.#options = options;
    // A limiter that everybody else has forgotten is not kept alive by the process's timer.
    const self = new WeakRef(this);
    this.#beat = () => {
      const housekeeping = self.deref();
      return housekeeping === undefined ? "done" : housekeeping.#keep();
    };
  }

  /** Goes on as long as there is something to keep. */
  begin(): void {
    if (this.#beats || this.#isOver || !this.#hasWork()) return;
    this.#beats = true;
    joinProcessTimer(this.#beat);
  }

  end(): void {
    this.#isOver = true;
    leaveProcessTimer(this.#beat);
  }

  #hasWork(): boolean {
    return this.#store.size > 0 || this.#store.notes.size > 0;
  }

  #keep(): ReturnType<Beat> {
    const store = this.#store;
    const { advance, lifeMs } = this.#options;
    const before = this.#keptAt;
    const wasAsked = store.now > before;
    advance();
    this.#keptAt = store.now;
    const part = (LOOKS_PER_LIFE * (store.now - before)) / Math.max(lifeMs, BEAT_MS);
    const looks = Math.min(Math.max(Math.ceil(store.places * part), LOOKS_MIN), LOOKS_MAX);
    const endMs = performance.now() + SWEEP_MS;
    const freed = this.#sweep(looks, endMs);
    // Keys often come together and then end together.
    const endMany = freed > looks / 2;
    if (endMany) this.#sweep(LOOKS_MAX - looks, endMs);
    // Where there are more than a beat may look at, they need every beat.
    const areTooMany = looks === LOOKS_MAX && freed > 0;
    this.#report();
    this.#beats = this.#hasWork();
    if (!this.#beats) return "done";
    return wasAsked || endMany || areTooMany ? "busy" : "idle";
  }

  /** Frees records until a moment, looking at no more than so many; returns how many were freed. */
  #sweep(looks: number, endMs: number): number {
    let freed = 0;
    for (let left = looks; left > 0 && performance.now() < endMs; left -= LOOKS_AT_ONCE) {
      freed += this.#store.sweep(Math.min(left, LOOKS_AT_ONCE));
    }
    return freed;
  }

  #report(): void {
    const { live, refused, turnedAway } = this.#store.evictions;
    const notes = this.#store.notes.dropped;
    if (live + notes + turnedAway === this.#reported) return;
    this.#reported = live + notes + turnedAway;
    publishPressure({
      limiter: this.#options.name,
      keys: this.#store.size,
      maxKeys: this.#store.keysMax,
      evictedLive: live,
      evictedRefused: refused,
      evictedNotes: notes,
      turnedAway,
    });
  }
}
