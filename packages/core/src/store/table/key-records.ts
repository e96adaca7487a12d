/**
 * Creates and frees the records of keys: in the pool, in the index, in the ownership, and with a
 * section per policy.
 *
 * Only this file creates or frees a key's record, so the four always agree.
 */

import type { Replicas } from "../replicas/replicas.ts";
import { EPOCH_MASK, EPOCH_ONE, GENERATION, HEADER_WORDS, type Shape, STATE } from "./entry.ts";
import { FINGERPRINT_HIGH, FINGERPRINT_LOW, KeyIndex } from "./key-index.ts";
import { KeyOwnership } from "./key-ownership.ts";
import { RECORDS_MAX } from "./record-id.ts";
import { RecordPool } from "./record-pool.ts";

/** Makes the shape of one policy, whose words begin at `base` of every record. */
export interface Section {
  readonly words: number;
  create(records: RecordPool, replicas: Replicas, base: number): Shape;
}

export class KeyRecords {
  readonly records: RecordPool;
  readonly index: KeyIndex;
  readonly ownership: KeyOwnership;
  readonly shapes: readonly Shape[];

  /** @param seed 32 random bits of this process */
  constructor(sections: readonly Section[], replicas: Replicas, seed: number) {
    const words = sections.reduce((sum, section) => sum + section.words, HEADER_WORDS);
    this.records = new RecordPool(words, RECORDS_MAX);
    this.index = new KeyIndex(this.records, seed);
    this.ownership = new KeyOwnership(this.records);
    let base = HEADER_WORDS;
    this.shapes = sections.map((section) => {
      const shape = section.create(this.records, replicas, base);
      base += section.words;
      return shape;
    });
  }

  /** Creates the record of a key that has none; 0 when no numbers are left. */
  begin(low: number, high: number, state: number, introducer: number): number {
    const records = this.records;
    const id = records.allocate();
    if (id === 0) return 0;
    records.setWord(id, FINGERPRINT_LOW, low);
    records.setWord(id, FINGERPRINT_HIGH, high);
    records.setWord(id, STATE, state);
    this.ownership.enter(id, introducer);
    for (const shape of this.shapes) shape.begin?.(id);
    this.index.insert(id);
    return id;
  }

  /** Drops what a reset ends in a record, and starts another epoch of it. */
  wipe(id: number): void {
    for (const shape of this.shapes) shape.wipe(id);
    const state = this.records.word(id, STATE);
    const epoch = (state + EPOCH_ONE) & EPOCH_MASK;
    this.records.setWord(id, STATE, (state & ~EPOCH_MASK) | epoch);
  }

  /** Frees a record and everything beside it. */
  end(id: number): void {
    this.ownership.leave(id);
    this.index.remove(id);
    for (const shape of this.shapes) shape.release(id);
    this.records.release(id);
  }

  /** Marks every replica that a record refers to. */
  refersTo(id: number, mark: (replica: number) => void): void {
    if (!this.ownership.isLive(id)) return;
    if (!this.ownership.isOwn(id)) mark(this.records.word(id, GENERATION));
    for (const shape of this.shapes) shape.refersTo(id, mark);
  }

  /** Frees every record: whole tables at once, because visiting a million keys takes long. */
  clear(): void {
    for (const shape of this.shapes) shape.releaseAll();
    this.records.clear();
    this.index.clear();
    this.ownership.clear();
  }
}
