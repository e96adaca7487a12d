/**
 * The rare things known about a key beside its counts: resets and marks.
 *
 * They live in a side table under the key's fingerprint, apart from its record, because they must
 * survive the record: a reset is kept as long as anything it ends can still arrive, and a blocked
 * key stays blocked however many other keys come. The table is bounded by itself; when it is full, a
 * note without marks goes before one with them, and of either kind one that has been there for long.
 */

import { laterMark, MARK_KINDS, type Mark } from "../lattice/mark.ts";
import { fingerprint53 } from "./fingerprint.ts";

/** How long it is remembered that marks were lifted: a day beyond the time of the longest window. */
const MISSED_MS_MAX = 24 * 60 * 60 * 1_000;
/** How far replicas may disagree on the cluster's time. */
const CLOCKS_MS_MAX = 10_000;
/** Notes looked at for one to give up. */
const LOOKS = 64;

/** What is known of one key. */
export interface Note {
  readonly low: number;
  readonly high: number;
  /** The frame in which it leaves next, or left last. */
  frame: number;
  /** Components with a smaller reset are dead. */
  reset: number;
  /** How many resets have been learned since there is a note. */
  resets: number;
  /** Marks with a smaller reset than this one or the other are void. */
  markReset: number;
  readonly marks: (Mark | undefined)[];
  /** Until when what it ends can still arrive, on this replica's clock. */
  keepUntil: number;
}

export class Notes {
  readonly #notes = new Map<number, Note>();
  #notesMax: number;
  #keepMs: number;
  /** Notes given up for want of room. */
  dropped = 0;
  /** The last frame in which one leaves, or has left. */
  changedIn = 0;

  /** @param keepMs how long a component can still arrive after it has been sent */
  constructor(notesMax: number, keepMs: number) {
    this.#notesMax = notesMax;
    this.#keepMs = keepMs;
  }

  /** Goes on with what there is within other bounds, and counts anew what is given up. */
  goOnWithin(notesMax: number, keepMs: number): void {
    this.#notesMax = Math.max(this.#notesMax, notesMax);
    this.#keepMs = Math.max(this.#keepMs, keepMs);
    this.dropped = 0;
  }

  get size(): number {
    return this.#notes.size;
  }

  find(low: number, high: number): Note | undefined {
    return this.#notes.size === 0 ? undefined : this.#notes.get(fingerprint53(low, high));
  }

  /** The note of a key, made if there is none. */
  obtain(low: number, high: number): Note {
    const key = fingerprint53(low, high);
    const known = this.#notes.get(key);
    if (known !== undefined) return known;
    if (this.#notes.size >= this.#notesMax) {
      this.#notes.delete(this.#leastOf());
      this.dropped++;
    }
    const marks = MARK_KINDS.map(() => undefined);
    const note = { low, high, frame: 0, reset: 0, resets: 0, markReset: 0, marks, keepUntil: 0 };
    this.#notes.set(key, note);
    return note;
  }

  /** Of a few that have been there for long, the first without marks: blocks go last. */
  #leastOf(): number {
    let first: number | undefined;
    let looked = 0;
    for (const [key, note] of this.#notes) {
      first ??= key;
      if (note.marks.every((mark) => mark === undefined)) return key;
      if (++looked >= LOOKS) break;
    }
    return first ?? 0;
  }

  /** Lets a note leave in a frame. */
  change(note: Note, frame: number): void {
    note.frame = frame;
    this.changedIn = Math.max(this.changedIn, frame);
  }

  /** Raises the reset of a key's components; returns whether it was larger than the one known. */
  raiseReset(note: Note, reset: number, now: number, clusterNow: number): boolean {
    if (reset <= note.reset) return false;
    note.reset = reset;
    note.resets++;
    // Nobody may forget it while it still ends something elsewhere, where clocks are a little behind.
    const spentIn = Math.max(0, reset - clusterNow) + this.#keepMs;
    note.keepUntil = Math.max(note.keepUntil, now + spentIn + CLOCKS_MS_MAX);
    return true;
  }

  /** Raises the reset that only marks see; returns whether it was larger than the one known. */
  raiseMarkReset(note: Note, reset: number, now: number): boolean {
    if (reset <= note.markReset) return false;
    note.markReset = reset;
    // Whoever missed this may send the mark again; nobody is expected to be away for longer.
    note.keepUntil = Math.max(note.keepUntil, now + this.#keepMs + MISSED_MS_MAX);
    return true;
  }

  /** Merges a mark; returns whether it is later than the one known. */
  joinMark(note: Note, kind: number, heard: Mark): boolean {
    const later = laterMark(note.marks[kind], heard);
    if (later === note.marks[kind]) return false;
    note.marks[kind] = later;
    return true;
  }

  /** Lets go of notes that say nothing any more; looks at no more than `budget`. */
  sweep(now: number, clusterNow: number, budget: number): void {
    let looked = 0;
    for (const [key, note] of this.#notes) {
      if (looked++ >= budget) return;
      const speaks =
        note.keepUntil > now ||
        note.marks.some((mark) => mark !== undefined && mark.untilMs > clusterNow);
      this.#notes.delete(key);
      // Putting it back at the end lets the next sweep begin with the others.
      if (speaks) this.#notes.set(key, note);
    }
  }

  all(): Iterable<Note> {
    return this.#notes.values();
  }

  clear(): void {
    this.#notes.clear();
  }
}
