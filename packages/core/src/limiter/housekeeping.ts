/**
 * Background work of a limiter: frees expired keys, and warns when keys were evicted that still
 * counted.
 */

import { pressure } from "../runtime/diagnostics.ts";
import { BEAT_MS, type Beat } from "../runtime/process-timer.ts";
import type { Store } from "../store/store.ts";

/** The most and the fewest records visited in one tick of the process's timer. */
const LOOKS_MAX = 8_192;
const LOOKS_MIN = 64;
/** The records visited between two looks whether there is time for more. */
const LOOKS_AT_ONCE = 128;
/** Visits to each record within its life when no key is added: one per window. */
const LOOKS_PER_LIFE = 2;

export interface HousekeepingOptions {
  readonly name: string;
  /** The longest life of a count. */
  readonly lifeMs: number;
  /** Sets the time of the store. */
  readonly advance: () => void;
  /** Calls a beat about once a second until it is done. */
  readonly joinTimer: (beat: Beat) => void;
  readonly leaveTimer: (beat: Beat) => void;
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
    // The process's timer must not keep an unreferenced limiter alive.
    const self = new WeakRef(this);
    this.#beat = (hasTime) => {
      const housekeeping = self.deref();
      return housekeeping === undefined ? "done" : housekeeping.#keep(hasTime);
    };
  }

  /** Starts sweeping, and continues as long as the store has records. */
  begin(): void {
    if (this.#beats || this.#isOver || !this.#hasWork()) return;
    this.#beats = true;
    this.#options.joinTimer(this.#beat);
  }

  end(): void {
    this.#isOver = true;
    this.#options.leaveTimer(this.#beat);
  }

  #hasWork(): boolean {
    return this.#store.size > 0 || this.#store.notes.size > 0;
  }

  #keep(hasTime: () => boolean): ReturnType<Beat> {
    const store = this.#store;
    const { advance, lifeMs } = this.#options;
    const before = this.#keptAt;
    const wasAsked = store.now > before;
    advance();
    this.#keptAt = store.now;
    const part = (LOOKS_PER_LIFE * (store.now - before)) / Math.max(lifeMs, BEAT_MS);
    const looks = Math.min(Math.max(Math.ceil(store.recordSlots * part), LOOKS_MIN), LOOKS_MAX);
    const freed = this.#sweep(looks, hasTime);
    // Keys that came together often expire together.
    const endMany = freed > looks / 2;
    if (endMany) this.#sweep(LOOKS_MAX - looks, hasTime);
    // When a tick cannot visit all records, the sweep uses every tick.
    const areTooMany = looks === LOOKS_MAX && freed > 0;
    this.#report();
    this.#beats = this.#hasWork();
    if (!this.#beats) return "done";
    return wasAsked || endMany || areTooMany ? "busy" : "idle";
  }

  /** Frees records while there is time, visiting at most `looks`; returns how many were freed. */
  #sweep(looks: number, hasTime: () => boolean): number {
    let freed = 0;
    for (let left = looks; left > 0 && hasTime(); left -= LOOKS_AT_ONCE) {
      freed += this.#store.sweep(Math.min(left, LOOKS_AT_ONCE));
    }
    return freed;
  }

  #report(): void {
    const { live, refused, uncounted } = this.#store.evictions;
    const notes = this.#store.notes.dropped;
    if (live + notes + uncounted === this.#reported) return;
    this.#reported = live + notes + uncounted;
    pressure.publish({
      limiter: this.#options.name,
      keys: this.#store.size,
      maxKeys: this.#store.keysMax,
      evictedLive: live,
      evictedRefused: refused,
      evictedNotes: notes,
      uncounted,
    });
  }
}
