/**
 * Lists the records with unsent counts, oldest first.
 *
 * A listed record stores its position as a negative number in its FRAME word, so a check finds its
 * unsent hits without a lookup. Closing a frame starts a new list at once, whatever its size. Each
 * record of the closed list gets the frame's number when it is settled. Positions differ between
 * the two lists, so a record that is not settled yet is not mistaken for one of the new list.
 */

import type { Announcer } from "../store.ts";
import { FRAME, FRAME_MASK } from "../table/entry.ts";
import type { RecordPool } from "../table/record-pool.ts";

const FIRST_POSITIONS = 64;

export class UnsentCounts {
  readonly #records: RecordPool;
  readonly #announcer: Announcer;
  #ids = new Int32Array(FIRST_POSITIONS);
  #unsent = new Float64Array(FIRST_POSITIONS);
  #ceiling = new Float64Array(FIRST_POSITIONS);
  #size = 0;
  #closed = new Int32Array(FIRST_POSITIONS);
  #closedSize = 0;
  #closedFrame = 0;

  constructor(records: RecordPool, announcer: Announcer) {
    this.#records = records;
    this.#announcer = announcer;
  }

  /** Whether a record is listed, given its FRAME word. */
  has(id: number, word: number): boolean {
    return word < 0 && ~word < this.#size && this.#ids[~word] === id;
  }

  /** Lists a record that is not listed; returns its new FRAME word. */
  begin(id: number, now: number): number {
    if (this.#size === this.#ids.length) this.#grow();
    const position = this.#size++;
    this.#ids[position] = id;
    this.#unsent[position] = 0;
    this.#ceiling[position] = Number.POSITIVE_INFINITY;
    this.#announcer.began(now);
    return ~position;
  }

  /** Adds hits to the record that `word` points to in the list. */
  counted(word: number, hits: number, ceiling: number, used: number, now: number): void {
    const position = ~word;
    const unsent = this.#unsent[position]! + hits;
    this.#unsent[position] = unsent;
    if (ceiling < this.#ceiling[position]!) this.#ceiling[position] = ceiling;
    this.#announcer.counted(now, unsent, this.#ceiling[position]!, used);
  }

  /** Counts of other replicas were merged into a record, so less of its limit is left. */
  merged(id: number, used: number, now: number): void {
    const word = this.#records.word(id, FRAME);
    if (!this.has(id, word)) return;
    const position = ~word;
    const unsent = this.#unsent[position]!;
    if (unsent > 0) this.#announcer.counted(now, unsent, this.#ceiling[position]!, used);
  }

  urgent(now: number): void {
    this.#announcer.urgent(now);
  }

  /**
   * Starts a new list. The records of the old one are to be settled with the number of their frame.
   */
  close(frame: number): void {
    const ids = this.#ids;
    this.#ids = this.#closed.length === ids.length ? this.#closed : new Int32Array(ids.length);
    this.#closed = ids;
    this.#closedSize = this.#size;
    this.#closedFrame = frame & FRAME_MASK;
    this.#size = 0;
  }

  /** How many positions of the closed list there are to settle. */
  get closedSize(): number {
    return this.#closedSize;
  }

  /**
   * Writes the frame's number into the record at a position of the closed list, unless it has
   * changed since and is listed again. Returns the record, which may belong to another key by now.
   */
  settle(position: number): number {
    const records = this.#records;
    const id = this.#closed[position]!;
    if (id >= records.end || records.word(id, FRAME) !== ~position) return id;
    if (!this.has(id, ~position)) records.setWord(id, FRAME, this.#closedFrame);
    return id;
  }

  clear(): void {
    this.#size = 0;
    this.#closedSize = 0;
  }

  #grow(): void {
    const positions = 2 * this.#ids.length;
    this.#ids = copied(this.#ids, new Int32Array(positions));
    this.#unsent = copied(this.#unsent, new Float64Array(positions));
    this.#ceiling = copied(this.#ceiling, new Float64Array(positions));
  }
}

function copied<Column extends Int32Array | Float64Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
