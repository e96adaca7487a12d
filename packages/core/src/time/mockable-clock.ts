/**
 * The clock of a limiter without a cluster: monotonic, until a test replaces `Date` or `Date.now`.
 *
 * The stores of other rate limiters read `Date`, so test suites move their windows with
 * `jest.setSystemTime`, `node:test` timers or a spy. While `Date` is mocked, the mocked date's
 * steps forward are time that passes, the first one measured from the real date. Its steps back are
 * ignored. When the mock ends, the clock goes on from where it is. The check costs two comparisons
 * a reading.
 */

import type { Clock } from "./clock.ts";

export class MockableClock implements Clock {
  /** Compared with the global `Date`; null while that is mocked. */
  #expectedDate: DateConstructor | null = null;
  /** The originals. Null if this module was loaded under a mock, until the mock ends. */
  #realDate: DateConstructor | null = null;
  #realDateNow = Date.now;
  /**
   * A copy, because the global `performance` is behind a getter, which costs a fifth of a check.
   */
  #performance = performance;
  /** How far this clock is ahead of `performance.now()`. */
  #leadMs = 0;
  /** This clock, the mocked date and `performance.now()`, all at the last reading under a mock. */
  #nowMs = 0;
  #mockedMs = Number.NaN;
  #realMs = Number.NaN;

  constructor() {
    if (!isDateNative()) return;
    this.#rememberOriginals();
    this.#expectedDate = Date;
    this.#leadMs = this.#millisecondPhase();
  }

  /** Milliseconds that have passed since the process started. */
  now(): number {
    return Date === this.#expectedDate && Date.now === this.#realDateNow
      ? this.#performance.now() + this.#leadMs
      : this.#readReplaced();
  }

  wall(): number {
    return Date.now();
  }

  #readReplaced(): number {
    if (this.#isDateReal()) return this.#resume();
    if (this.#expectedDate !== null) this.#beginMock();
    this.#realMs = this.#performance.now();
    const mockedMs = Date.now();
    if (!Number.isFinite(mockedMs)) return this.#nowMs;
    if (mockedMs > this.#mockedMs) this.#nowMs += mockedMs - this.#mockedMs;
    this.#mockedMs = mockedMs;
    return this.#nowMs;
  }

  #isDateReal(): boolean {
    return this.#realDate === null
      ? isDateNative()
      : Date === this.#realDate && Date.now === this.#realDateNow;
  }

  #beginMock(): void {
    this.#expectedDate = null;
    this.#realMs = this.#performance.now();
    this.#nowMs = Math.floor(this.#realMs + this.#leadMs);
    this.#mockedMs = this.#realDateNow();
  }

  /** The mock has ended: real time goes on, and what passed of it since the last reading counts. */
  #resume(): number {
    if (this.#realDate === null) this.#rememberOriginals();
    this.#expectedDate = Date;
    const realMs = this.#performance.now();
    const passedMs = realMs > this.#realMs ? realMs - this.#realMs : 0;
    const phaseMs = this.#millisecondPhase();
    this.#leadMs = Math.ceil(this.#nowMs + passedMs - realMs - phaseMs) + phaseMs;
    return realMs + this.#leadMs;
  }

  #rememberOriginals(): void {
    this.#realDate = Date;
    this.#realDateNow = Date.now;
    this.#performance = performance;
    this.#realMs = Number.NaN;
  }

  /**
   * The phase that makes whole milliseconds of this clock and of `Date` begin together. A test that
   * sets the date to the start of a window plus its width then meets its end to the millisecond.
   */
  #millisecondPhase(): number {
    return this.#performance.timeOrigin % 1 || 0;
  }
}

/**
 * Whether `Date` is the engine's own: the replacements of test frameworks are written in
 * JavaScript.
 */
function isDateNative(): boolean {
  const sourceOf = Function.prototype.toString;
  return [Date, Date.now].every((code) => sourceOf.call(code).includes("[native code]"));
}

/** The clock of all limiters of this process that have no other. */
export const mockableClock: Clock = new MockableClock();
