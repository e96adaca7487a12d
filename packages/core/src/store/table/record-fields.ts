/** The words of a record that belong to one shape, numbered from 0. */

import { GENERATION } from "./entry.ts";
import { FINGERPRINT_LOW } from "./key-index.ts";
import type { RecordPool } from "./record-pool.ts";

export class RecordFields {
  readonly records: RecordPool;
  readonly base: number;

  constructor(records: RecordPool, base: number) {
    this.records = records;
    this.base = base;
  }

  word(id: number, word: number): number {
    return this.records.word(id, this.base + word);
  }

  setWord(id: number, word: number, value: number): void {
    this.records.setWord(id, this.base + word, value);
  }

  long(id: number, word: number): number {
    return this.records.long(id, this.base + word);
  }

  setLong(id: number, word: number, value: number): void {
    this.records.setLong(id, this.base + word, value);
  }

  count(id: number, word: number): number {
    return this.records.count(id, this.base + word);
  }

  setCount(id: number, word: number, count: number): void {
    this.records.setCount(id, this.base + word, count);
  }

  addToCount(id: number, word: number, count: number): void {
    this.setCount(id, word, this.count(id, word) + count);
  }

  /** The generation of the record's own components. */
  generation(id: number): number {
    return this.records.word(id, GENERATION);
  }

  /** The low half of the record's fingerprint. */
  fingerprintLow(id: number): number {
    return this.records.word(id, FINGERPRINT_LOW);
  }
}
