/**
 * The rings in a record: own hits in the last few slots and, in a cluster, the sum of all others'.
 * Refunds of own hits are rare and are kept in a map beside the record.
 *
 *     | own … | others … |
 */

import type { RecordPool } from "../../table/record-pool.ts";

export class SlotBins {
  readonly #records: RecordPool;
  readonly #own: number;
  readonly #others: number;
  readonly #bins: number;
  readonly #refunds = new Map<number, number>();

  /**
   * @param base the word of a record where the rings begin
   * @param shared whether there is a ring for other replicas
   */
  constructor(records: RecordPool, base: number, bins: number, shared: boolean) {
    this.#records = records;
    this.#own = base;
    this.#others = shared ? base + bins : 0;
    this.#bins = bins;
  }

  /** All replicas' hits in one bin, less refunds. */
  hits(id: number, bin: number): number {
    let hits = this.#records.count(id, this.#own + bin);
    if (this.#others !== 0) hits += this.#records.count(id, this.#others + bin);
    if (this.#refunds.size !== 0) hits -= this.refunds(id, bin);
    return hits;
  }

  /** This replica's hits in one bin, before refunds. */
  own(id: number, bin: number): number {
    return this.#records.count(id, this.#own + bin);
  }

  refunds(id: number, bin: number): number {
    return this.#refunds.get(id * this.#bins + bin) ?? 0;
  }

  hasOwn(id: number): boolean {
    return this.#isUsed(id, this.#own);
  }

  hasAny(id: number): boolean {
    return this.hasOwn(id) || (this.#others !== 0 && this.#isUsed(id, this.#others));
  }

  add(id: number, bin: number, hits: number): void {
    this.#records.setCount(id, this.#own + bin, this.own(id, bin) + hits);
  }

  addOthers(id: number, bin: number, hits: number): void {
    const word = this.#others + bin;
    this.#records.setCount(id, word, this.#records.count(id, word) + hits);
  }

  /** Refunds own hits of one bin; returns how many of `cost` it had. */
  give(id: number, bin: number, cost: number): number {
    const refunds = this.refunds(id, bin);
    const refunded = Math.min(cost, this.own(id, bin) - refunds);
    if (refunded > 0) this.#refunds.set(id * this.#bins + bin, refunds + refunded);
    return refunded;
  }

  /** Empties a bin for the next slot. */
  empty(id: number, bin: number): void {
    this.#records.setCount(id, this.#own + bin, 0);
    if (this.#others !== 0) this.#records.setCount(id, this.#others + bin, 0);
    if (this.#refunds.size !== 0) this.#refunds.delete(id * this.#bins + bin);
  }

  emptyOthers(id: number): void {
    for (let bin = 0; bin < this.#bins; bin++) this.#records.setCount(id, this.#others + bin, 0);
  }

  clear(id: number): void {
    for (let bin = 0; bin < this.#bins; bin++) this.empty(id, bin);
  }

  /** Clears the refunds of all records. */
  releaseAll(): void {
    this.#refunds.clear();
  }

  /** Clears the refunds of a record. */
  release(id: number): void {
    if (this.#refunds.size === 0) return;
    for (let bin = 0; bin < this.#bins; bin++) this.#refunds.delete(id * this.#bins + bin);
  }
  #isUsed(id: number, ring: number): boolean {
    for (let bin = 0; bin < this.#bins; bin++) {
      if (this.#records.word(id, ring + bin) !== 0) return true;
    }
    return false;
  }
}
