/**
 * Records with counts that nobody has been told of, in the order in which they began to have them.
 *
 * A record in here carries its place in the word for its frame, as a negative number, so that a check
 * finds what is still to be told of a key without looking anything up. Closing a frame begins anew at
 * once, however many there are: each gets the number of the frame when it is settled, and one that
 * has not been yet is not taken for one of the next frame, where its place is another's.
 */

import { FRAME, FRAME_MASK } from "../table/entry.ts";
import type { RecordPool } from "../table/record-pool.ts";

const FIRST_PLACES = 64;

/** Is told how pressing it is to tell others. */
export interface Announcer {
  /** A record has counts of which nobody knows. */
  began(now: number): void;
  /** Hits of a key of which nobody knows, and what of its smallest limit is used. */
  counted(now: number, untold: number, ceiling: number, used: number): void;
  /** Something that cannot wait. */
  urgent(now: number): void;
}

export class UnsentCounts {
  readonly #records: RecordPool;
  readonly #announcer: Announcer;
  #ids = new Int32Array(FIRST_PLACES);
  #untold = new Float64Array(FIRST_PLACES);
  #ceiling = new Float64Array(FIRST_PLACES);
  #size = 0;
  #closed = new Int32Array(FIRST_PLACES);
  #closedSize = 0;
  #closedFrame = 0;

  constructor(records: RecordPool, announcer: Announcer) {
    this.#records = records;
    this.#announcer = announcer;
  }

  /** Whether a record with this word for its frame is in here. */
  has(id: number, word: number): boolean {
    return word < 0 && ~word < this.#size && this.#ids[~word] === id;
  }

  /** Takes in a record that is not in here; returns the word that says so. */
  begin(id: number, now: number): number {
    if (this.#size === this.#ids.length) this.#grow();
    const place = this.#size++;
    this.#ids[place] = id;
    this.#untold[place] = 0;
    this.#ceiling[place] = Number.POSITIVE_INFINITY;
    this.#announcer.began(now);
    return ~place;
  }

  /** Hits have been counted in a record of which `word` says where in here it is. */
  counted(word: number, hits: number, ceiling: number, used: number, now: number): void {
    const place = ~word;
    const untold = this.#untold[place]! + hits;
    this.#untold[place] = untold;
    if (ceiling < this.#ceiling[place]!) this.#ceiling[place] = ceiling;
    this.#announcer.counted(now, untold, this.#ceiling[place]!, used);
  }

  /** Others' hits have been merged into a record, so that less is left of its limit. */
  heard(id: number, used: number, now: number): void {
    const word = this.#records.word(id, FRAME);
    if (!this.has(id, word)) return;
    const place = ~word;
    const untold = this.#untold[place]!;
    if (untold > 0) this.#announcer.counted(now, untold, this.#ceiling[place]!, used);
  }

  urgent(now: number): void {
    this.#announcer.urgent(now);
  }

  /** Begins anew; what was in here is to be settled, with the number of the frame that it leaves in. */
  close(frame: number): void {
    const ids = this.#ids;
    this.#ids = this.#closed.length === ids.length ? this.#closed : new Int32Array(ids.length);
    this.#closed = ids;
    this.#closedSize = this.#size;
    this.#closedFrame = frame & FRAME_MASK;
    this.#size = 0;
  }

  /** How many places of the frame that was closed last there are to settle. */
  get closedSize(): number {
    return this.#closedSize;
  }

  /**
   * Gives the record at a place of the closed frame its number, unless it has changed since and is in
   * here again; returns the record, which may be another key's by now.
   */
  settle(place: number): number {
    const records = this.#records;
    const id = this.#closed[place]!;
    if (id >= records.end || records.word(id, FRAME) !== ~place) return id;
    if (!this.has(id, ~place)) records.setWord(id, FRAME, this.#closedFrame);
    return id;
  }

  clear(): void {
    this.#size = 0;
    this.#closedSize = 0;
  }

  #grow(): void {
    const places = 2 * this.#ids.length;
    this.#ids = copied(this.#ids, new Int32Array(places));
    this.#untold = copied(this.#untold, new Float64Array(places));
    this.#ceiling = copied(this.#ceiling, new Float64Array(places));
  }
}

function copied<Column extends Int32Array | Float64Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
