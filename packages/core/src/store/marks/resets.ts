/**
 * Resets end counts, and marks refuse a key whatever its counts are.
 *
 * Each new reset is larger than every known one for what it ends, so merging keeps the largest. A
 * key has its own reset and shares the reset of all keys. Its marks have one more, which voids them
 * without touching counts. A mark carries the reset under which it was written.
 *
 * A reset is spent when everything that it could end is over. A spent reset neither ends counts nor
 * is merged. Replicas forget a reset at different times. Without this rule, a replica that has
 * forgotten it would send counts, and a replica that still knows it would refuse them.
 */

import type { Mark } from "../../crdt/mark.ts";
import type { RecordVersions } from "../record-versions.ts";
import type { StoreState } from "../store-state.ts";
import { NOTED, STATE } from "../table/entry.ts";
import type { KeyRecords } from "../table/key-records.ts";
import type { Note, Notes } from "./notes.ts";

/** Other replicas refuse a reset that is ten minutes ahead, and their clocks differ a little. */
export const RESET_AHEAD_MS_MAX: number = 9 * 60_000;

export class Resets {
  readonly #entries: KeyRecords;
  readonly #notes: Notes;
  readonly #versions: RecordVersions;
  readonly #storeState: StoreState;
  /** The longest time between a reset and the arrival of something that it ends. */
  keepMs: number;
  /**
   * How far a reset may be ahead of the cluster's time: past this, a further reset ends nothing.
   */
  aheadMsMax: number = Number.POSITIVE_INFINITY;
  #frameOfAll = 0;

  constructor(
    entries: KeyRecords,
    notes: Notes,
    versions: RecordVersions,
    storeState: StoreState,
    keepMs: number,
  ) {
    this.#entries = entries;
    this.#notes = notes;
    this.#versions = versions;
    this.#storeState = storeState;
    this.keepMs = keepMs;
  }

  /** The largest reset known for a key. */
  known(low: number, high: number): number {
    return Math.max(this.#versions.limiterReset, this.#notes.find(low, high)?.reset ?? 0);
  }

  /** The largest reset known for the marks of a key. */
  knownForMarks(note: Readonly<Note>): number {
    return Math.max(this.#versions.limiterReset, note.reset, note.markReset);
  }

  /** Ends all counts of a key and voids its marks; returns the new reset. */
  begin(low: number, high: number): number {
    const note = this.#notes.find(low, high);
    const known = note === undefined ? this.#versions.limiterReset : this.knownForMarks(note);
    const reset = this.#after(known);
    this.join(low, high, reset);
    return reset;
  }

  /** Ends all counts of all keys; returns the new reset. */
  beginAll(): number {
    let largest = this.#versions.limiterReset;
    for (const note of this.#notes.all()) largest = Math.max(largest, this.knownForMarks(note));
    const reset = this.#after(largest);
    this.joinAll(reset);
    return reset;
  }

  /** Merges a reset of a key; returns whether it was new. */
  join(low: number, high: number, reset: number): boolean {
    if (reset <= this.known(low, high)) return false;
    // Marks may be older than any count, so even a spent reset voids the known ones.
    if (this.#isSpent(reset)) {
      return this.#notes.find(low, high) !== undefined && this.joinMarkReset(low, high, reset);
    }
    const note = this.#noteFor(low, high);
    this.#notes.raiseReset(note, reset, this.#storeState.now, this.#storeState.clusterNow);
    this.#notes.change(note, this.#storeState.frame);
    const id = this.#entries.index.find(low, high);
    if (id === 0) return true;
    this.#versions.renew(id);
    this.#entries.wipe(id);
    return true;
  }

  /**
   * Merges the reset that a component was counted under; returns false when a larger one has ended
   * it.
   */
  admit(low: number, high: number, reset: number): boolean {
    const known = this.known(low, high);
    if (reset < known) return this.#isSpent(known);
    if (reset > known && !this.#isSpent(reset)) this.join(low, high, reset);
    return true;
  }

  /** Merges a reset of all keys; returns whether it was new. */
  joinAll(reset: number): boolean {
    if (reset <= this.#versions.limiterReset) return false;
    this.#frameOfAll = this.#storeState.frame;
    this.#versions.raiseReset(reset);
    return true;
  }

  /** The reset of all keys, if it was learned after `frame`; otherwise 0. */
  allSince(frame: number): number {
    return this.#frameOfAll > frame ? this.#versions.limiterReset : 0;
  }

  /** Voids the marks of a key and leaves its counts. */
  unmark(low: number, high: number): void {
    const known = this.knownForMarks(this.#noteFor(low, high));
    this.joinMarkReset(low, high, this.#after(known));
  }

  /** Merges the reset up to which a key's marks are void; returns whether it was new. */
  joinMarkReset(low: number, high: number, reset: number): boolean {
    // A reset that is not new makes no note: in a full table it would push out another one.
    if (reset <= (this.#notes.find(low, high)?.markReset ?? 0)) return false;
    const note = this.#noteFor(low, high);
    this.#notes.raiseMarkReset(note, reset, this.#storeState.now);
    this.#notes.change(note, this.#storeState.frame);
    return true;
  }

  /** Marks a key until an instant of the cluster's time. */
  mark(low: number, high: number, kind: number, untilMs: number, limit: number): void {
    const note = this.#noteFor(low, high);
    this.joinMark(low, high, kind, { reset: this.knownForMarks(note), untilMs, limit });
  }

  /** Merges a mark; returns whether it was new. */
  joinMark(low: number, high: number, kind: number, mark: Mark): boolean {
    const note = this.#noteFor(low, high);
    if (!this.#notes.joinMark(note, kind, mark)) return false;
    this.#notes.change(note, this.#storeState.frame);
    return true;
  }

  /** The next reset: a larger one, unless other replicas would refuse it. */
  #after(known: number): number {
    const { clusterNow } = this.#storeState;
    return Math.max(clusterNow, Math.min(known + 1, Math.max(known, clusterNow + this.aheadMsMax)));
  }

  #isSpent(reset: number): boolean {
    return reset < this.#storeState.clusterNow - this.keepMs;
  }

  #noteFor(low: number, high: number): Note {
    const note = this.#notes.obtain(low, high);
    const { index, records } = this.#entries;
    const id = index.find(low, high);
    if (id !== 0) records.setWord(id, STATE, records.word(id, STATE) | NOTED);
    return note;
  }
}
