/**
 * The slot of the cluster's current time, and its bin in a ring.
 *
 * It is the same for every key, so it is computed once per slot and not per check.
 */

export class SlotTime {
  slot = -1;
  startsAt = 0;
  endsAt = 0;
  /** The bin of the slot. */
  bin = 0;

  readonly #slotMs: number;
  readonly #bins: number;

  constructor(slotMs: number, bins: number) {
    this.#slotMs = slotMs;
    this.#bins = bins;
  }

  turnTo(clusterNow: number): void {
    if (clusterNow < this.endsAt && clusterNow >= this.startsAt && this.slot >= 0) return;
    this.slot = Math.floor(clusterNow / this.#slotMs);
    this.startsAt = this.slot * this.#slotMs;
    this.endsAt = this.startsAt + this.#slotMs;
    this.bin = this.slot % this.#bins;
  }

  /** The bin of the slot that is `age` slots old; -1 is the next slot. */
  binOfAge(age: number): number {
    const bin = this.bin - age;
    if (bin < 0) return bin + this.#bins;
    return bin >= this.#bins ? bin - this.#bins : bin;
  }
}
