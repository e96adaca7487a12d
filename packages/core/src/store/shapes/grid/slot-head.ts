/**
 * The first words of a key's slots: the slot they are turned to and, in the bits above its high
 * half, how many of the kept slots the bucket's level contains as well.
 *
 *     | slot high, joined | slot low |
 */

import type { RecordPool } from "../../table/record-pool.ts";

export const SLOT_HIGH = 0;
export const SLOT_LOW = 1;

/** The bits with the number of kept slots that the level contains as well. */
export const JOINED_SHIFT = 16;
const JOINED_MASK = -1 << JOINED_SHIFT;
export const SLOT_HIGH_MASK = 0xffff;
/** The high half of no slot: the record is not aligned yet. */
export const UNSET = 0xffff;

export class SlotHead {
  readonly #records: RecordPool;
  readonly #word: number;

  /** @param base the word of a record where these begin */
  constructor(records: RecordPool, base: number) {
    this.#records = records;
    this.#word = base + SLOT_HIGH;
  }

  /**
   * How many of the kept slots, oldest first, a merged level contains: counts that arrive for them
   * may be in that level already.
   */
  joined(id: number): number {
    return this.#records.word(id, this.#word) >>> JOINED_SHIFT;
  }

  setJoined(id: number, joined: number): void {
    const others = this.#records.word(id, this.#word) & ~JOINED_MASK;
    this.#records.setWord(id, this.#word, others | (joined << JOINED_SHIFT));
  }
}
