/**
 * Records with counts that nobody has been told of, in the order in which they began to have them.
 *
 * A record in here carries its place in the word for its frame, as a negative number, so that a check
 * finds what is still to be told of a key without looking anything up. What is told of together ends
 * together: closing a frame gives all of them its number and begins anew.
 */

import { FRAME, FRAME_MASK } from "./entry.ts";
import type { RecordPool } from "./record-pool.ts";

const FIRST_PLACES = 64;

/** Is told how pressing it is to tell others. */
export interface Announcer {
  /** A record has counts of which nobody knows. */
  began(): void;
  /** Hits of a key of which nobody knows, and what of its smallest limit is used. */
  counted(untold: number, ceiling: number, used: number): void;
  /** Something that cannot wait. */
  urgent(): void;
}

export class Pending {
  readonly #records: RecordPool;
  readonly #announcer: Announcer;
  #ids = new Int32Array(FIRST_PLACES);
  #untold = new Float64Array(FIRST_PLACES);
  #ceiling = new Float64Array(FIRST_PLACES);
  #size = 0;
  #closed = new Int32Array(FIRST_PLACES);
  #closedSize = 0;

  constructor(records: RecordPool, announcer: Announcer) {
    this.#records = records;
    this.#announcer = announcer;
  }

  /** Takes in a record that is not in here; returns the word that says so. */
  begin(id: number): number {
    if (this.#size === this.#ids.length) this.#grow();
    const place = this.#size++;
    this.#ids[place] = id;
    this.#untold[place] = 0;
    this.#ceiling[place] = Number.POSITIVE_INFINITY;
    this.#announcer.began();
    return ~place;
  }

  /** Hits have been counted in a record of which `word` says where in here it is. */
  counted(word: number, hits: number, ceiling: number, used: number): void {
    const place = ~word;
    const untold = this.#untold[place]! + hits;
    this.#untold[place] = untold;
    if (ceiling < this.#ceiling[place]!) this.#ceiling[place] = ceiling;
    this.#announcer.counted(untold, this.#ceiling[place]!, used);
  }

  /** Others' hits have been merged into a record in here, so that less is left of its limit. */
  heard(word: number, used: number): void {
    const place = ~word;
    const untold = this.#untold[place]!;
    if (untold > 0) this.#announcer.counted(untold, this.#ceiling[place]!, used);
  }

  urgent(): void {
    this.#announcer.urgent();
  }

  /** Gives all records in here the number of the frame that they leave in, and begins anew. */
  close(frame: number): void {
    const records = this.#records;
    const ids = this.#ids;
    let size = 0;
    for (let place = 0; place < this.#size; place++) {
      const id = ids[place]!;
      // The record may have been freed since, and be another key's by now.
      if (id >= records.end || records.word(id, FRAME) !== ~place) continue;
      records.setWord(id, FRAME, frame & FRAME_MASK);
      ids[size++] = id;
    }
    this.#ids = this.#closed.length === ids.length ? this.#closed : new Int32Array(ids.length);
    this.#closed = ids;
    this.#closedSize = size;
    this.#size = 0;
  }

  /** The records of the frame that was closed last. Those that have changed since are in the next one. */
  get closed(): Int32Array {
    return this.#closed.subarray(0, this.#closedSize);
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
