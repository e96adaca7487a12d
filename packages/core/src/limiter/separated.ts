/**
 * What is left of a limit for one replica that does not know what the others count.
 *
 * Cut off, it knows what had been used when that began. `share` gives it an even part of the rest, so
 * that all together stay within the limit however many sides there are; `open` leaves it all of the
 * limit, and `closed` nothing. A replica that has just come is in the same place.
 */

import type { SeparatedMode, Separation } from "../replication/isolation.ts";

export class Separated {
  readonly #onPartition: SeparatedMode;
  readonly #onCold: SeparatedMode;
  /** What of a key's limit was used when it was first looked at since, by record and policy. */
  readonly #usedBefore = new Map<number, number>();
  #number = 0;

  constructor(onPartition: SeparatedMode, onCold: SeparatedMode) {
    this.#onPartition = onPartition;
    this.#onCold = onCold;
  }

  /** What this replica may let pass in all. `place` stands for a record and a policy, 0 for none. */
  limitOf(separation: Separation, place: number, limit: number, used: number): number {
    const mode = separation.kind === "cut" ? this.#onPartition : this.#onCold;
    if (mode === "closed") return 0;
    if (mode === "open" || separation.replicas <= 1) return limit;
    if (separation.number !== this.#number) {
      this.#number = separation.number;
      this.#usedBefore.clear();
    }
    // Less is used than before when a window has ended, and then the rest is larger.
    const before = Math.min(this.#usedBefore.get(place) ?? used, used);
    if (place !== 0) this.#usedBefore.set(place, before);
    return before + Math.floor(Math.max(0, limit - before) / separation.replicas);
  }

  /** A key of which nothing had been used has got a record. */
  begin(place: number): void {
    this.#usedBefore.set(place, 0);
  }

  /** The others are heard again. */
  end(): void {
    if (this.#usedBefore.size > 0) this.#usedBefore.clear();
  }
}
