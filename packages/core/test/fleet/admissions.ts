/**
 * When hits of one key were admitted, and how that compares with a limit.
 */

export class Admissions {
  readonly #times: number[] = [];

  /** Hits admitted. */
  get count(): number {
    return this.#times.length;
  }

  /** Adds a hit; times must not go back. */
  add(atMs: number): void {
    this.#times.push(atMs);
  }

  /** Hits admitted at or after `fromMs` and before `untilMs`. */
  within(fromMs: number, untilMs: number): number {
    let count = 0;
    for (const time of this.#times) if (time >= fromMs && time < untilMs) count++;
    return count;
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
