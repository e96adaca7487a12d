/**
 * Running totals over time, as sorted lists of points "by this time the total was that".
 *
 * Points only add knowledge, so a list may be merged in any order and with gaps. Hits whose own
 * point is missing are counted at the next known point, which is as late as possible. Expired
 * points leave from the front; the last of them stays as the base from which the rest is counted.
 * Totals are kept to 32 bits and compared by difference.
 *
 *     header, in a record of its owner:  | oldest block | newest block | base |
 *     block:                             | next | first, end | time high | time low | total | …
 */

import { RecordPool } from "../../table/record-pool.ts";

const OLDEST = 0;
const NEWEST = 1;
const BASE = 2;
/** Words of a list's header. */
export const TIME_LIST_WORDS = 3;

const NEXT = 0;
const BOUNDS = 1;
const POINTS = 2;
const POINT_WORDS = 3;
const BLOCK_POINTS = 5;

/** Receives one point; returning false ends the walk. */
export type PointVisitor = (time: number, total: number) => boolean;

export class TimeLists {
  /** Points added less points expired, since a caller set it to 0. */
  grownBy = 0;
  readonly #owners: RecordPool;
  readonly #header: number;
  readonly #blocks = new RecordPool(POINTS + BLOCK_POINTS * POINT_WORDS);

  /** @param header the word of an owner's record where its list's header begins */
  constructor(owners: RecordPool, header: number) {
    this.#owners = owners;
    this.#header = header;
  }

  /** Hits after the base. */
  live(owner: number): number {
    return (this.total(owner) - this.base(owner)) | 0;
  }

  /** The total at the newest point, or the base of an empty list. */
  total(owner: number): number {
    const block = this.#headerWord(owner, NEWEST);
    if (block === 0) return this.base(owner);
    return this.#totalAt(block, this.#end(block) - 1);
  }

  /** The total at the last point that has expired. */
  base(owner: number): number {
    return this.#headerWord(owner, BASE);
  }

  /** The time of the oldest point after the base; infinite when there is none. */
  oldest(owner: number): number {
    const block = this.#headerWord(owner, OLDEST);
    return block === 0 ? Number.POSITIVE_INFINITY : this.#timeAt(block, this.#first(block));
  }

  /** The time of the newest point; infinitely long ago when there is none after the base. */
  newest(owner: number): number {
    const block = this.#headerWord(owner, NEWEST);
    return block === 0 ? Number.NEGATIVE_INFINITY : this.#timeAt(block, this.#end(block) - 1);
  }

  /** Shows the points after the base, oldest first. */
  walk(owner: number, visit: PointVisitor): void {
    let block = this.#headerWord(owner, OLDEST);
    for (; block !== 0; block = this.#blocks.word(block, NEXT)) {
      for (let index = this.#first(block); index < this.#end(block); index++) {
        if (!visit(this.#timeAt(block, index), this.#totalAt(block, index))) return;
      }
    }
  }

  /** Moves points up to and including `cutoff` into the base. */
  expire(owner: number, cutoff: number): void {
    let block = this.#headerWord(owner, OLDEST);
    while (block !== 0) {
      const end = this.#end(block);
      let first = this.#first(block);
      while (first < end && this.#timeAt(block, first) <= cutoff) {
        this.#setHeaderWord(owner, BASE, this.#totalAt(block, first));
        this.grownBy--;
        first++;
      }
      if (first < end) {
        this.#setBounds(block, first, end);
        return;
      }
      const next = this.#blocks.word(block, NEXT);
      this.#blocks.release(block);
      this.#setHeaderWord(owner, OLDEST, next);
      if (next === 0) this.#setHeaderWord(owner, NEWEST, 0);
      block = next;
    }
  }

  /**
   * Merges that by `time` the total was `total`; returns whether that is new. Points up to `cutoff`
   * go into the base. Without room for another point, hits after the newest one are counted at that
   * point, and a point between others returns undefined.
   */
  learn(
    owner: number,
    time: number,
    total: number,
    cutoff: number,
    hasRoom: boolean = true,
  ): boolean | undefined {
    if (time <= cutoff) {
      // A list without points and base has no reference for its total. A base of exactly 2^32 hits
      // reads as none, and is known again with the next one.
      const isFirst = this.base(owner) === 0 && this.#headerWord(owner, OLDEST) === 0;
      const ahead = (total - this.base(owner)) | 0;
      if (ahead === 0 || (ahead < 0 && !isFirst)) return false;
      this.#setHeaderWord(owner, BASE, total | 0);
      return true;
    }
    if (time > this.newest(owner)) {
      if (hasRoom) return this.#append(owner, time, total | 0);
      const newest = this.#headerWord(owner, NEWEST);
      this.#setPoint(newest, this.#end(newest) - 1, time, total | 0);
      return true;
    }
    let block = this.#headerWord(owner, OLDEST);
    while (time > this.#timeAt(block, this.#end(block) - 1)) block = this.#blocks.word(block, NEXT);
    let index = this.#first(block);
    while (this.#timeAt(block, index) < time) index++;
    if (this.#timeAt(block, index) !== time) {
      return hasRoom ? this.#insert(owner, block, index, time, total) : undefined;
    }
    if (((total - this.#totalAt(block, index)) | 0) <= 0) return false;
    this.#blocks.setWord(block, POINTS + index * POINT_WORDS + 2, total | 0);
    return true;
  }

  /** Frees all blocks of a list and forgets its base. */
  clear(owner: number): void {
    for (let block = this.#headerWord(owner, OLDEST); block !== 0; ) {
      const next = this.#blocks.word(block, NEXT);
      this.#blocks.release(block);
      block = next;
    }
    for (let word = 0; word < TIME_LIST_WORDS; word++) this.#setHeaderWord(owner, word, 0);
  }

  /** Frees the blocks of all lists, whose owners are freed as well. */
  clearAll(): void {
    this.#blocks.clear();
  }

  #append(owner: number, time: number, total: number): boolean {
    let block = this.#headerWord(owner, NEWEST);
    if (block === 0 || this.#end(block) === BLOCK_POINTS) {
      const fresh = this.#blocks.allocate();
      if (fresh === 0) return false;
      if (block === 0) this.#setHeaderWord(owner, OLDEST, fresh);
      else this.#blocks.setWord(block, NEXT, fresh);
      this.#setHeaderWord(owner, NEWEST, fresh);
      block = fresh;
    }
    const end = this.#end(block);
    this.#setPoint(block, end, time, total);
    this.#setBounds(block, this.#first(block), end + 1);
    this.grownBy++;
    return true;
  }

  /**
   * Inserts a point at position `index` of a block, moving the block's later points to a new block.
   */
  #insert(owner: number, block: number, index: number, time: number, total: number): boolean {
    const rest = this.#blocks.allocate();
    if (rest === 0) return false;
    const end = this.#end(block);
    for (let moved = index; moved < end; moved++) {
      this.#setPoint(rest, moved - index, this.#timeAt(block, moved), this.#totalAt(block, moved));
    }
    this.#setBounds(rest, 0, end - index);
    this.#blocks.setWord(rest, NEXT, this.#blocks.word(block, NEXT));
    this.#blocks.setWord(block, NEXT, rest);
    if (this.#headerWord(owner, NEWEST) === block) this.#setHeaderWord(owner, NEWEST, rest);
    this.#setPoint(block, index, time, total | 0);
    this.#setBounds(block, this.#first(block), index + 1);
    this.grownBy++;
    return true;
  }

  #first(block: number): number {
    return this.#blocks.word(block, BOUNDS) & 0xff;
  }

  #end(block: number): number {
    return this.#blocks.word(block, BOUNDS) >>> 8;
  }

  #setBounds(block: number, first: number, end: number): void {
    this.#blocks.setWord(block, BOUNDS, first | (end << 8));
  }

  #timeAt(block: number, index: number): number {
    return this.#blocks.long(block, POINTS + index * POINT_WORDS);
  }

  #totalAt(block: number, index: number): number {
    return this.#blocks.word(block, POINTS + index * POINT_WORDS + 2);
  }

  #setPoint(block: number, index: number, time: number, total: number): void {
    const at = POINTS + index * POINT_WORDS;
    this.#blocks.setLong(block, at, time);
    this.#blocks.setWord(block, at + 2, total);
  }

  #headerWord(owner: number, word: number): number {
    return this.#owners.word(owner, this.#header + word);
  }

  #setHeaderWord(owner: number, word: number, value: number): void {
    this.#owners.setWord(owner, this.#header + word, value);
  }
}
