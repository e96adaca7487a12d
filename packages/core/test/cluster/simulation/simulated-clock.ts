/**
 * A clock that may be wrong from the start on, too fast or too slow, and stand still for a while.
 * The wall clock of its machine goes on meanwhile, and may be set.
 */

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
  #wallAheadMs: number;
  #stoppedAtMs: number | undefined;

  constructor({ aheadMs = 0, drift = 0 }: ClockFaults = {}) {
    this.#aheadMs = aheadMs;
    this.#wallAheadMs = aheadMs;
    this.#drift = drift;
  }

  now(): number {
    return performance.now() + this.#errorMs;
  }

  wall(): number {
    return Date.now() + this.#wallAheadMs + this.#gainedMs(performance.now());
  }

  /** Stands still, like the clock of a suspended machine. */
  stop(): void {
    this.#stoppedAtMs = performance.now();
  }

  /** Goes on from where it stood. */
  goOn(): void {
    this.skip((this.#stoppedAtMs ?? performance.now()) - performance.now());
    this.#stoppedAtMs = undefined;
  }

  /** So much time passes at once, except for the wall clock. */
  skip(ms: number): void {
    this.#aheadMs += ms;
  }

  /** The wall clock is set, to the true time or to one that is ahead of it by so much. */
  correct(aheadMs = 0): void {
    this.#wallAheadMs = aheadMs;
  }

  get #errorMs(): number {
    const now = performance.now();
    const stoodMs = now - (this.#stoppedAtMs ?? now);
    return this.#aheadMs + this.#gainedMs(now - stoodMs) - stoodMs;
  }

  #gainedMs(now: number): number {
    return (now - this.#beganAtMs) * this.#drift;
  }
}
