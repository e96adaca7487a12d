/**
 * The clock of a limiter: a clock that moves forward, and the wall clock for calendars.
 *
 * Windows of a fixed width only need time that passes, so they never read the wall clock, which an
 * operator or NTP may set. Both are read at each call. When a test framework has replaced the
 * global objects by fake ones, the limiters follow: those of a cluster its `performance`, others
 * its `Date` (`mockable-clock.ts`).
 */

import { invalidOption } from "../base/options.ts";

/**
 * A source of time. Tests and simulations pass one to a limiter to decide what time it is.
 *
 * @example
 * const clock: Clock = { now: () => simulation.elapsedMs };
 */
export interface Clock {
  /**
   * Milliseconds that have passed since any fixed instant. They may have fractions, which are
   * dropped, and need not be wall time, but they must move forward. Readings beyond the year 9999
   * are ignored: time stays where it is.
   */
  now(): number;
  /**
   * Milliseconds since 1970 in UTC: only calendar windows ask for them.
   *
   * @default the same as `now()`
   */
  wall?(): number;
}

/** The end of the year 9999: calendars go no further, and stores keep times in 48 bits. */
export const WALL_MS_MAX: number = 253_402_300_799_999;

// The global `performance` is behind a getter, which costs as much as a fifth of a check. `Date` is
// not, and frameworks that fake time fake `Date` too: the getter is used only then.
const realDate = Date;
const realPerformance = performance;

/**
 * The clock of a cluster: milliseconds of a steady clock for windows, the wall clock for calendars.
 * The steady clock begins near 0, because small numbers are fast: the request path needs no box
 * around each time. It is no uptime: a user's clock, or one of fake timers, begins anywhere.
 */
export const systemClock: Clock = Object.freeze({
  now: (): number => (Date === realDate ? realPerformance : performance).now(),
  wall: (): number => Date.now(),
});

/** The clock given as an option, or the one to use without it. */
export function asClock(clock: unknown, fallback: Clock): Clock {
  if (clock === undefined) return fallback;
  if (
    typeof clock === "object" &&
    clock !== null &&
    typeof Reflect.get(clock, "now") === "function"
  ) {
    return clock as Clock;
  }
  throw invalidOption("clock", "an object with a now() method", clock);
}

/**
 * The time of one clock, made safe to build on: whole milliseconds that never go back.
 *
 * A step forward is time that passes. After a step back, time goes on from where it is, so after a
 * step back by an hour it does not stand still for an hour. A reading that is not a number, or a
 * clock that throws, leaves time where it is and never throws into a request.
 *
 *     clock   100   101   102    40    41   NaN    43   900
 *     read    100   101   102   102   103   103   105   962
 */
export class SteadyTime {
  readonly #clock: Clock;
  #readingMs = 0;
  #steadyMs = 0;
  #wallMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whole milliseconds, never less than before and never below zero. */
  read(): number {
    let readingMs: number;
    try {
      readingMs = Math.floor(this.#clock.now());
    } catch {
      return this.#steadyMs;
    }
    return readingMs === this.#readingMs ? this.#steadyMs : this.#step(readingMs);
  }

  #step(readingMs: number): number {
    if (!(readingMs >= -WALL_MS_MAX && readingMs <= WALL_MS_MAX)) return this.#steadyMs;
    if (readingMs > this.#readingMs) {
      this.#steadyMs = Math.min(this.#steadyMs + (readingMs - this.#readingMs), WALL_MS_MAX);
    }
    this.#readingMs = readingMs;
    return this.#steadyMs;
  }

  /**
   * Whole milliseconds since 1970; the last valid value when the clock gives none up to the year
   * 9999. It goes back when the wall clock is set back: otherwise a calendar would keep a wrong date
   * until that date comes.
   */
  wall(): number {
    const clock = this.#clock;
    let wallMs: number;
    try {
      wallMs = Math.floor(clock.wall === undefined ? clock.now() : clock.wall());
    } catch {
      return this.#wallMs;
    }
    if (wallMs >= 0 && wallMs <= WALL_MS_MAX) this.#wallMs = wallMs;
    return this.#wallMs;
  }
}
