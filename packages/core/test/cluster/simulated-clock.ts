/** A clock that may be wrong from the start on, too fast or too slow, and stand still for a while. */

/** How a clock goes. */
export interface ClockFaults {
  /** How far it is ahead of true time at the start. */
  readonly aheadMs?: number;
  /** What it gains in a millisecond. */
  readonly drift?: number;
}

export class SimulatedClock {
  readonly #beganAtMs = performance.now();
  readonly #drift: number;
  #aheadMs: number;
  #stoppedAtMs: number | undefined;

  constructor({ aheadMs = 0, drift = 0 }: ClockFaults = {}) {
    this.#aheadMs = aheadMs;
    this.#drift = drift;
  }

  now(): number {
    return performance.now() + this.#errorMs;
  }

  wall(): number {
    return Date.now() + this.#errorMs;
  }

  /** Stands still, as that of a machine does which is suspended. */
  stop(): void {
    this.#stoppedAtMs = performance.now();
  }

  /** Goes on from where it stood. */
  goOn(): void {
    this.#aheadMs -= performance.now() - (this.#stoppedAtMs ?? performance.now());
    this.#stoppedAtMs = undefined;
  }

  get #errorMs(): number {
    const now = performance.now();
    const stoodMs = now - (this.#stoppedAtMs ?? now);
    return this.#aheadMs + (now - stoodMs - this.#beganAtMs) * this.#drift - stoodMs;
  }
}
