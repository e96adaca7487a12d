/**
 * The counts of other replicas in the slots of one key: one ring of counts per replica.
 *
 * Rings are a linked list on the key's record. Each is turned to the current slot at each access,
 * which empties the bins of new slots. A ring that was not accessed for a whole round is empty.
 *
 *     | next | replica | generation | slot high | slot low | bins … |
 */

import { RecordPool } from "../../table/record-pool.ts";

const NEXT = 0;
const REPLICA = 1;
const GENERATION = 2;
const SLOT_HIGH = 3;
const SLOT_LOW = 4;
const BINS = 5;

const TWO_32 = 2 ** 32;
/** More rings of one key than any lawful history makes, of all other replicas or of one of them. */
const LENGTH_MAX = 4096;
const PER_REPLICA_MAX = 1024;

export class SlotRings {
  readonly #records: RecordPool;
  readonly #headWord: number;
  readonly #bins: number;
  readonly #ahead: number;
  readonly #pool: RecordPool;
  readonly #refunds = new Map<number, number>();

  /**
   * @param headWord the word of a key's record that holds the first ring's number
   * @param bins how many slots a ring has room for, `ahead` of them after the current one
   */
  constructor(records: RecordPool, headWord: number, bins: number, ahead: number) {
    this.#records = records;
    this.#headWord = headWord;
    this.#bins = bins;
    this.#ahead = ahead;
    this.#pool = new RecordPool(BINS + bins);
  }

  /** The first ring of a key, or 0. */
  first(id: number): number {
    return this.#records.word(id, this.#headWord);
  }

  next(ring: number): number {
    return this.#pool.word(ring, NEXT);
  }

  replica(ring: number): number {
    return this.#pool.word(ring, REPLICA);
  }

  generation(ring: number): number {
    return this.#pool.word(ring, GENERATION);
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
    const pool = this.#pool;
    let length = 0;
    let ofReplica = 0;
    for (let ring = this.first(id); ring !== 0; ring = this.next(ring)) {
      length++;
      if (this.replica(ring) !== replica) continue;
      ofReplica++;
      if (pool.word(ring, GENERATION) !== generation) continue;
      this.turn(ring, slot);
      return ring;
    }
    const isCrowded = length >= LENGTH_MAX || ofReplica >= PER_REPLICA_MAX;
    const ring = isCrowded && !this.#dropUnused(id, replica, slot) ? 0 : pool.allocate();
    if (ring === 0) return 0;
    pool.setWord(ring, NEXT, this.first(id));
    pool.setWord(ring, REPLICA, replica);
    pool.setWord(ring, GENERATION, generation);
    this.#setSlot(ring, slot);
    this.#records.setWord(id, this.#headWord, ring);
    return ring;
  }

  /** Turns a ring to the current slot; after the clock steps back, that is an earlier one. */
  turn(ring: number, slot: number): void {
    const turns = slot - this.#slot(ring);
    if (turns === 0) return;
    const steps = Math.min(Math.abs(turns), this.#bins);
    let bin = (Math.min(slot, this.#slot(ring)) + this.#ahead + 1) % this.#bins;
    for (let step = 0; step < steps; step++) {
      this.#pool.setCount(ring, BINS + bin, 0);
      if (this.#refunds.size !== 0) this.#refunds.delete(ring * this.#bins + bin);
      bin = bin + 1 === this.#bins ? 0 : bin + 1;
    }
    this.#setSlot(ring, slot);
  }

  /** Removes the ring after `before` from a key, the first one if that is 0. */
  remove(id: number, removed: number, before: number): void {
    const next = this.next(removed);
    if (before === 0) this.#records.setWord(id, this.#headWord, next);
    else this.#pool.setWord(before, NEXT, next);
    if (this.#refunds.size !== 0) {
      for (let bin = 0; bin < this.#bins; bin++) this.#refunds.delete(removed * this.#bins + bin);
    }
    this.#pool.release(removed);
  }

  /** Removes all rings of a key. */
  clear(id: number): void {
    for (let ring = this.first(id); ring !== 0; ) {
      const next = this.next(ring);
      this.remove(id, ring, 0);
      ring = next;
    }
  }

  /** Removes all rings of all keys; the head words are cleared by the caller. */
  clearAll(): void {
    this.#pool.clear();
    this.#refunds.clear();
  }

  /** Removes the rings of a replica that have no hits left; returns whether there were any. */
  #dropUnused(id: number, replica: number, slot: number): boolean {
    let before = 0;
    let hasDropped = false;
    for (let ring = this.first(id); ring !== 0; ) {
      const next = this.next(ring);
      const isOf = this.replica(ring) === replica;
      if (isOf) this.turn(ring, slot);
      if (isOf && !this.isUsed(ring)) {
        this.remove(id, ring, before);
        hasDropped = true;
      } else before = ring;
      ring = next;
    }
    return hasDropped;
  }

  #slot(ring: number): number {
    return this.#pool.word(ring, SLOT_HIGH) * TWO_32 + (this.#pool.word(ring, SLOT_LOW) >>> 0);
  }

  #setSlot(ring: number, slot: number): void {
    this.#pool.setWord(ring, SLOT_HIGH, Math.floor(slot / TWO_32));
    this.#pool.setWord(ring, SLOT_LOW, slot | 0);
  }
}
