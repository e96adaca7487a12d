/**
 * The clocks of one simulated machine: its own clock, which limiters read, and its wall clock.
 *
 * Both may be wrong from the start, too fast or too slow. The own clock stands still while the
 * machine is suspended, and the wall clock may be set.
 */

import type { VirtualTime } from "./virtual-time.ts";

/** The wall clock when a simulation begins: a time of this century, to the millisecond. */
export const START_WALL_MS = 1_790_000_000_000;

/** The own clock when a simulation begins, so that one which is behind is not below zero. */
const START_OWN_MS = 3_600_000;

export interface ClockFaults {
  /** How far both clocks are ahead of true time at the start. */
  readonly aheadMs?: number;
  /** What both gain in a millisecond. */
  readonly drift?: number;
}

export class VirtualClock {
  readonly #time: VirtualTime;
  readonly #drift: number;
  /** Own time is true time times the rate, plus this. */
  #ownMs: number;
  #wallMs: number;
  #stoppedAtMs: number | undefined;

  constructor(time: VirtualTime, { aheadMs = 0, drift = 0 }: ClockFaults = {}) {
    this.#time = time;
    this.#drift = drift;
    const errorMs = aheadMs - drift * time.nowMs;
    this.#ownMs = START_OWN_MS + errorMs;
    this.#wallMs = START_WALL_MS + errorMs;
  }

  now(): number {
    return this.#readingAt(this.#stoppedAtMs ?? this.#time.nowMs) + this.#ownMs;
  }

  wall(): number {
    return this.#readingAt(this.#time.nowMs) + this.#wallMs;
  }

  /** When the own clock shows a time: in true time, and never while it stands still. */
  trueTimeOf(ownMs: number): number {
    if (this.#stoppedAtMs !== undefined) return Number.POSITIVE_INFINITY;
    return (ownMs - this.#ownMs) / (1 + this.#drift);
  }

  /** Whether the machine is suspended. */
  get isStopped(): boolean {
    return this.#stoppedAtMs !== undefined;
  }

  /** The own clock stands still, like the clock of a suspended machine. */
  stop(): void {
    this.#stoppedAtMs ??= this.#time.nowMs;
  }

  /** The own clock goes on from where it stood. */
  goOn(): void {
    if (this.#stoppedAtMs === undefined) return;
    this.#ownMs += this.#readingAt(this.#stoppedAtMs) - this.#readingAt(this.#time.nowMs);
    this.#stoppedAtMs = undefined;
  }

  /** The own clock jumps. */
  skip(ms: number): void {
    this.#ownMs += ms;
  }

  /** The wall clock is set, to the true time or to one that is ahead of it by so much. */
  setWall(aheadMs = 0): void {
    this.#wallMs += START_WALL_MS + this.#time.nowMs + aheadMs - this.wall();
  }

  #readingAt(trueMs: number): number {
    return trueMs * (1 + this.#drift);
  }
}
