/**
 * When something ends, as the date that clients and programs are told.
 *
 * Limiters count by a clock that only moves forward, and people by the wall clock. The distance
 * between the two is kept as it is while it only trembles, so that one window has one end; when
 * somebody sets the wall clock it is taken anew.
 */

const TREMBLE_MS = 2;

export class WallTime {
  #offsetMs = Number.NaN;
  /** The limiter's time when the two clocks were compared last: once a millisecond is enough. */
  #comparedMs = Number.NaN;

  /** Milliseconds since 1970 at which `clockMs`, a time of the limiter's clock, is or was. */
  at(clockMs: number, nowMs: number): number {
    if (nowMs !== this.#comparedMs) this.#compare(nowMs);
    return this.#offsetMs + clockMs;
  }

  #compare(nowMs: number): void {
    this.#comparedMs = nowMs;
    const offsetMs = Date.now() - nowMs;
    if (!(Math.abs(offsetMs - this.#offsetMs) <= TREMBLE_MS)) this.#offsetMs = offsetMs;
  }
}
