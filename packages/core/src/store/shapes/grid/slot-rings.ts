/**
 * The counts of other replicas in the slots of one key: one ring of counts per replica.
 *
 * Each ring is turned to the current slot at each access, which empties the bins of new slots. A
 * ring that was not accessed for a whole round is empty.
 *
 *     | next | replica | generation | slot high | slot low | bins … |
 */

import type { RecordPool } from "../../table/record-pool.ts";
import { Chain, LINK_WORDS } from "../chain.ts";

const SLOT: number = LINK_WORDS;
const BINS: number = SLOT + 2;

export class SlotRings {
  readonly chain: Chain;
  readonly #pool: RecordPool;
  readonly #bins: number;
  readonly #ahead: number;
  readonly #refunds = new Map<number, number>();

  /**
   * @param headWord the word of a key's record that holds the first ring's number
   * @param bins how many slots a ring has room for, `ahead` of them after the current one
   */
  constructor(records: RecordPool, headWord: number, bins: number, ahead: number) {
    this.chain = new Chain(records, headWord, BINS + bins, (ring) => {
      if (this.#refunds.size === 0) return;
      for (let bin = 0; bin < bins; bin++) this.#refunds.delete(ring * bins + bin);
    });
    this.#pool = this.chain.pool;
    this.#bins = bins;
    this.#ahead = ahead;
  }

  /** Hits counted in one bin, before refunds. Needs a `turn`. */
  counted(ring: number, bin: number): number {
    return this.#pool.count(ring, BINS + bin);
  }

  /** Hits in one bin, less refunds. Needs a `turn`. */
  hits(ring: number, bin: number): number {
    const refunds =
      this.#refunds.size === 0 ? 0 : (this.#refunds.get(ring * this.#bins + bin) ?? 0);
    return this.counted(ring, bin) - refunds;
  }

  /** Whether any hit was counted, including refunded ones. Needs a `turn`. */
  isUsed(ring: number): boolean {
    for (let bin = 0; bin < this.#bins; bin++) {
      if (this.#pool.word(ring, BINS + bin) !== 0) return true;
    }
    return false;
  }

  /** Keeps the larger of each count; returns whether any grew. */
  raise(ring: number, bin: number, hits: number, refunds: number): boolean {
    const grewHits = hits > this.#pool.count(ring, BINS + bin);
    if (grewHits) this.#pool.setCount(ring, BINS + bin, hits);
    const key = ring * this.#bins + bin;
    const grewRefunds = refunds > (this.#refunds.get(key) ?? 0);
    if (grewRefunds) this.#refunds.set(key, refunds);
    return grewHits || grewRefunds;
  }

  /** The ring of a replica's generation, turned to `slot`; made if needed, 0 without room. */
  obtain(id: number, replica: number, generation: number, slot: number): number {
    const { chain } = this;
    let ring = chain.of(id, replica, generation);
    if (ring !== 0) {
      this.turn(ring, slot);
      return ring;
    }
    if (!chain.hasRoomFor(id, replica) && !this.#dropUnused(id, replica, slot)) return 0;
    ring = chain.push(id, replica, generation, replica);
    if (ring !== 0) this.#pool.setLong(ring, SLOT, slot);
    return ring;
  }

  /** Turns a ring to the current slot; after the clock steps back, that is an earlier one. */
  turn(ring: number, slot: number): void {
    const before = this.#pool.long(ring, SLOT);
    const turns = slot - before;
    if (turns === 0) return;
    const steps = Math.min(Math.abs(turns), this.#bins);
    let bin = (Math.min(slot, before) + this.#ahead + 1) % this.#bins;
    for (let step = 0; step < steps; step++) {
      this.#pool.setCount(ring, BINS + bin, 0);
      if (this.#refunds.size !== 0) this.#refunds.delete(ring * this.#bins + bin);
      bin = bin + 1 === this.#bins ? 0 : bin + 1;
    }
    this.#pool.setLong(ring, SLOT, slot);
  }

  /** Removes all rings of all keys; the head words are cleared by the caller. */
  clearAll(): void {
    this.#pool.clear();
    this.#refunds.clear();
  }

  /** Removes the rings of a replica that have no hits left; returns whether there were any. */
  #dropUnused(id: number, replica: number, slot: number): boolean {
    const before = this.#pool.size;
    this.chain.retain(id, (ring) => {
      if (this.chain.replica(ring) !== replica) return true;
      this.turn(ring, slot);
      return this.isUsed(ring);
    });
    return this.#pool.size < before;
  }
}
