/**
 * A bucket's level after the newest slot that was folded away, in two words of a record.
 *
 *     | level low | level high |
 */

import { foldSlot } from "../../../crdt/checkpoint.ts";
import type { RecordPool } from "../../table/record-pool.ts";

/** Levels are kept in thousandths of a hit, so that whole rates leak whole numbers each ms. */
export const LEVEL_SCALE = 1_000;
/** Levels closer than this are equal: the sum of rounding errors of fractional rates. */
export const LEVEL_SLACK = 1e-6;
/** Words of a record that a level uses. */
export const LEVEL_WORDS = 2;

// A 64-bit float read as two words, and back.
const float = new Float64Array(1);
const floatWords = new Int32Array(float.buffer);

export class BucketLevel {
  /** What the bucket loses each slot, in thousandths of a hit. */
  readonly leak: number;
  readonly #records: RecordPool;
  readonly #base: number;

  constructor(records: RecordPool, base: number, leak: number) {
    this.#records = records;
    this.#base = base;
    this.leak = leak;
  }

  of(id: number): number {
    const records = this.#records;
    records.take(id);
    const { chunk } = records;
    const at = records.start + this.#base;
    floatWords[0] = chunk[at]!;
    floatWords[1] = chunk[at + 1]!;
    return float[0]!;
  }

  set(id: number, level: number): void {
    const records = this.#records;
    records.take(id);
    const { chunk } = records;
    const at = records.start + this.#base;
    float[0] = level;
    chunk[at] = floatWords[0]!;
    chunk[at + 1] = floatWords[1]!;
  }

  /** A level one slot later, in which so many hits were counted. */
  after(level: number, hits: number): number {
    return foldSlot(level, this.leak, hits * LEVEL_SCALE);
  }
}
