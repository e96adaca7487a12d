/**
 * When hits of one key were admitted, and how that compares with a limit.
 */

export class Admissions {
  readonly #times: number[] = [];

  /** Adds a hit; times must not go back. */
  add(atMs: number): void {
    this.#times.push(atMs);
  }

  /** Hits at or after `fromMs` and before `untilMs`. */
  within(fromMs: number, untilMs: number): number {
    let count = 0;
    for (const time of this.#times) if (time >= fromMs && time < untilMs) count++;
    return count;
  }

  /**
   * Hits in `windows` windows, as the mean over all runs of so many that begin within one window
   * after `fromMs`. Where windows drift, a single run cuts one of them, and says too much or too
   * little by up to a limit.
   */
  meanWithin(fromMs: number, windows: number, windowMs: number): number {
    let sum = 0;
    for (const time of this.#times) {
      const at = (time - fromMs) / windowMs;
      sum += Math.max(0, Math.min(at, 1, windows + 1 - at));
    }
    return sum;
  }

  /** The most hits in any span of `windowMs`. */
  mostWithin(windowMs: number): number {
    let most = 0;
    let first = 0;
    for (const [last, time] of this.#times.entries()) {
      while (this.#times[first]! <= time - windowMs) first++;
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  /**
   * The most hits in any span of `windowMs` beyond those of the slot that the span begins in, which
   * is all that a window cut into slots promises to keep within its limit.
   */
  mostBeyondTrailingSlot(windowMs: number, slotMs: number): number {
    const slots = new Map<number, number>();
    for (const time of this.#times) {
      const slot = Math.floor(time / slotMs);
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
    }
    let most = 0;
    let first = 0;
    for (const [last, time] of this.#times.entries()) {
      while (this.#times[first]! <= time - windowMs) first++;
      const trailing = slots.get(Math.floor((time - windowMs) / slotMs)) ?? 0;
      most = Math.max(most, last - first + 1 - trailing);
    }
    return most;
  }
}
