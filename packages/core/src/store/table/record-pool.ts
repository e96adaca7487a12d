/**
 * Fixed-size records of 32-bit words, found by a number that never changes while they live.
 *
 * Records lie in chunks, so growth adds a chunk and moves nothing; only the first chunk is copied
 * while it is still small. Hot code finds a record once and reads its words directly from `chunk`,
 * from `start` on. No record has the number 0, which means "none". A count that does not fit a word
 * lives in a side table behind the word `WIDE`.
 */

import { COUNT_MAX } from "../../base/options.ts";

/** A chunk holds `2 ** RECORD_BITS` records. */
export const RECORD_BITS = 12;
/** Picks a record's position within its chunk. */
export const RECORD_MASK: number = (1 << RECORD_BITS) - 1;
/** What lies beside the records is only found through them: there may be more of it than of keys. */
const NUMBERS_MAX = 2 ** 30;
/** Stands in a count's word when the count itself is in the side table. */
export const WIDE = 0x7fff_ffff;

const TWO_32 = 2 ** 32;
const FIRST_CHUNK_RECORDS = 32;
const NO_CHUNK = new Int32Array(0);
// A 64-bit float read as two words, and back.
const float = new Float64Array(1);
const floatWords = new Int32Array(float.buffer);

export class RecordPool {
  /** Words of one record. */
  readonly stride: number;
  /** Records in use. */
  size = 0;
  /** Numbers below this one have been given out at least once. */
  end = 1;

  /** The record in hand, the chunk it lies in, and where in it its first word is. */
  id = 0;
  chunk: Int32Array = NO_CHUNK;
  start = 0;

  readonly #numbersMax: number;
  readonly #chunks: Int32Array[] = [];
  readonly #wide = new Map<number, number>();
  #freed = 0; // The first record of the free list; the next is in each record's first word.

  constructor(stride: number, numbersMax: number = NUMBERS_MAX) {
    this.stride = stride;
    this.#numbersMax = numbersMax;
  }

  /** Takes a record in hand, until another is taken, allocated or released. */
  take(id: number): void {
    if (this.id === id) return;
    this.id = id;
    this.chunk = this.#chunks[id >>> RECORD_BITS]!;
    this.start = (id & RECORD_MASK) * this.stride;
  }

  /** A record with every word 0, or 0 when no numbers are left. */
  allocate(): number {
    this.id = 0;
    const freed = this.#freed;
    if (freed !== 0) {
      const chunk = this.#chunks[freed >>> RECORD_BITS]!;
      const start = (freed & RECORD_MASK) * this.stride;
      this.#freed = chunk[start]!;
      chunk[start] = 0;
      this.size++;
      return freed;
    }
    const id = this.end;
    if (id > this.#numbersMax) return 0;
    this.#makeRoomFor(id);
    this.end = id + 1;
    this.size++;
    return id;
  }

  /** Takes a record back and clears it. When the last one returns, so does all memory. */
  release(id: number): void {
    this.id = 0;
    this.size--;
    if (this.#wide.size !== 0) {
      for (let word = 0; word < this.stride; word++) this.#wide.delete(id * this.stride + word);
    }
    if (this.size === 0) {
      this.clear();
      return;
    }
    const chunk = this.#chunks[id >>> RECORD_BITS]!;
    const start = (id & RECORD_MASK) * this.stride;
    chunk.fill(0, start, start + this.stride);
    chunk[start] = this.#freed;
    this.#freed = id;
  }

  /** Takes all records back, and gives all memory back. */
  clear(): void {
    this.id = 0;
    this.chunk = NO_CHUNK;
    this.#chunks.length = 0;
    this.size = 0;
    this.end = 1;
    this.#freed = 0;
    this.#wide.clear();
  }

  /** One word of a record. */
  word(id: number, word: number): number {
    return this.#chunks[id >>> RECORD_BITS]![(id & RECORD_MASK) * this.stride + word]!;
  }

  /** Replaces one word of a record, which must not hold a count. */
  setWord(id: number, word: number, value: number): void {
    this.#chunks[id >>> RECORD_BITS]![(id & RECORD_MASK) * this.stride + word] = value;
  }

  /** A time or the number of a slot, in two words of a record: its high half, then its low half. */
  long(id: number, word: number): number {
    const chunk = this.#chunks[id >>> RECORD_BITS]!;
    const position = (id & RECORD_MASK) * this.stride + word;
    return chunk[position]! * TWO_32 + (chunk[position + 1]! >>> 0);
  }

  setLong(id: number, word: number, value: number): void {
    const chunk = this.#chunks[id >>> RECORD_BITS]!;
    const position = (id & RECORD_MASK) * this.stride + word;
    chunk[position] = Math.floor(value / TWO_32);
    chunk[position + 1] = value | 0;
  }

  /** A fraction, in two words of a record. */
  float(id: number, word: number): number {
    const chunk = this.#chunks[id >>> RECORD_BITS]!;
    const position = (id & RECORD_MASK) * this.stride + word;
    floatWords[0] = chunk[position]!;
    floatWords[1] = chunk[position + 1]!;
    return float[0]!;
  }

  setFloat(id: number, word: number, value: number): void {
    const chunk = this.#chunks[id >>> RECORD_BITS]!;
    const position = (id & RECORD_MASK) * this.stride + word;
    float[0] = value;
    chunk[position] = floatWords[0]!;
    chunk[position + 1] = floatWords[1]!;
  }

  /** The count in one word of a record. */
  count(id: number, word: number): number {
    const stored = this.word(id, word);
    return stored === WIDE ? this.#wide.get(id * this.stride + word)! : stored;
  }

  /** Replaces the count in one word of a record. Counts may be negative; they stop at 2^53 - 1. */
  setCount(id: number, word: number, count: number): void {
    const chunk = this.#chunks[id >>> RECORD_BITS]!;
    const position = (id & RECORD_MASK) * this.stride + word;
    if (count < WIDE && count > -WIDE) {
      if (chunk[position] === WIDE) this.#wide.delete(id * this.stride + word);
      chunk[position] = count;
      return;
    }
    // Beyond here integers are not exact; a count that stays at the largest one refuses everything.
    chunk[position] = WIDE;
    this.#wide.set(id * this.stride + word, Math.max(-COUNT_MAX, Math.min(count, COUNT_MAX)));
  }

  #makeRoomFor(id: number): void {
    const index = id >>> RECORD_BITS;
    const position = id & RECORD_MASK;
    const chunk = this.#chunks[index];
    const whole = this.stride << RECORD_BITS;
    if (chunk === undefined) {
      const words = index === 0 ? FIRST_CHUNK_RECORDS * this.stride : whole;
      this.#chunks.push(new Int32Array(words));
    } else if ((position + 1) * this.stride > chunk.length) {
      const grown = new Int32Array(Math.min(chunk.length * 2, whole));
      grown.set(chunk);
      this.#chunks[index] = grown;
    }
  }
}
