/**
 * The first words of a key's slots: the slot that they are turned to, and what is known of the level of a
 * bucket, in the bits above its high half.
 *
 *     | slot high, exact, joined | slot low |
 */

import type { RecordPool } from "./record-pool.ts";

export const SLOT_HIGH = 0;
export const SLOT_LOW = 1;

/** The bit that says the level is exact. */
export const EXACT = 0x1_0000;
/** The bits that say how many of the slots that are kept are in the level as well. */
export const JOINED_SHIFT = 17;
const JOINED_MASK = -1 << JOINED_SHIFT;
export const SLOT_HIGH_MASK = 0xffff;
/** The high half of no slot: the record has not been aligned yet. */
export const UNSET = 0xffff;

export class SlotHead {
  readonly #records: RecordPool;
  readonly #word: number;

  /** @param base the word of a record where these begin */
  constructor(records: RecordPool, base: number) {
    this.#records = records;
    this.#word = base + SLOT_HIGH;
  }

  /** Whether every known replica had declared what is in the level final before it was folded. */
  isExact(id: number): boolean {
    return (this.#records.word(id, this.#word) & EXACT) !== 0;
  }

  setExact(id: number, exact: boolean): void {
    const others = this.#records.word(id, this.#word) & ~EXACT;
    this.#records.setWord(id, this.#word, others | (exact ? EXACT : 0));
  }

  /**
   * How many of the slots that are kept, from the oldest one on, are in a level that was heard: what is
   * heard of them later may be in it already.
   */
  joined(id: number): number {
    return this.#records.word(id, this.#word) >>> JOINED_SHIFT;
  }

  setJoined(id: number, joined: number): void {
    const others = this.#records.word(id, this.#word) & ~JOINED_MASK;
    this.#records.setWord(id, this.#word, others | (joined << JOINED_SHIFT));
  }
}
