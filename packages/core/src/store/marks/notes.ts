/**
 * Stores the resets and marks of keys; few keys have any.
 *
 * They are in a side table by fingerprint, apart from the records, because they must outlive an
 * eviction. A reset is kept as long as anything it ends can still arrive. A blocked key stays
 * blocked however many new keys come. The table has its own bound. When it is full, notes without
 * marks are dropped first, and among equals an old one.
 *
 * Notes are also linked by their last change, newest first. A flush reads the list from its head
 * and stops at the first note that has already left, so its cost depends on the changes alone.
 */

import { laterMark, MARK_KINDS, type Mark } from "../../crdt/mark.ts";
import { fingerprint53 } from "../table/fingerprint.ts";

/** How long a lifted mark is remembered: a day longer than the longest window. */
const MISSED_MS_MAX = 24 * 60 * 60 * 1_000;
/** The largest expected disagreement on the cluster's time. */
const CLOCKS_MS_MAX = 10_000;
/** Notes sampled to find one to drop. */
const LOOKS = 64;

/**
 * A note's position in the list of changes. A note that changes again gets a new entry. The old
 * entry keeps its link to an older one, so an interrupted reader can continue from there.
 */
interface ChangeEntry {
  readonly note: Note;
  isListed: boolean;
  newer: ChangeEntry | undefined;
  older: ChangeEntry | undefined;
}

/** What is known of one key. */
export interface Note {
  readonly low: number;
  readonly high: number;
  /** The frame in which the note leaves next, or left last. */
  frame: number;
  /** Components under a smaller reset are void. */
  reset: number;
  /** Resets learned since the note was made. */
  resets: number;
  /** Marks under a smaller reset than this one and the key's are void. */
  markReset: number;
  readonly marks: (Mark | undefined)[];
  /** Until when something that it ends can still arrive, on this replica's clock. */
  keepUntil: number;
  /** Its position in the list of changes, once it has changed. */
  change: ChangeEntry | undefined;
}

export class Notes {
  readonly #notes = new Map<number, Note>();
  #notesMax: number;
  #keepMs: number;
  /** Notes dropped for lack of room. */
  dropped = 0;
  #newest: ChangeEntry | undefined;

  /** @param keepMs the longest time between sending a component and its arrival */
  constructor(notesMax: number, keepMs: number) {
    this.#notesMax = notesMax;
    this.#keepMs = keepMs;
  }

  /** Continues with the existing notes under other bounds, and restarts the statistics. */
  continueWithin(notesMax: number, keepMs: number): void {
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
      this.#delete(this.#leastOf());
      this.dropped++;
    }
    const marks = MARK_KINDS.map(() => undefined);
    const times = { frame: 0, keepUntil: 0, change: undefined };
    const note: Note = { low, high, reset: 0, resets: 0, markReset: 0, marks, ...times };
    this.#notes.set(key, note);
    return note;
  }

  /** Among a sample of old notes, the first without marks; blocks are dropped last. */
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

  /** Marks a note to leave in a frame, whose number is at least that of the change before. */
  change(note: Note, frame: number): void {
    note.frame = frame;
    this.#unlist(note);
    const entry = { note, isListed: true, newer: undefined, older: this.#newest };
    if (this.#newest !== undefined) this.#newest.newer = entry;
    this.#newest = entry;
    note.change = entry;
  }

  /**
   * The notes that leave after a frame, latest change first. Notes that change while the caller
   * pauses leave in a later frame, and may be left out here.
   */
  *changedSince(frame: number): Generator<Note, void> {
    for (let entry = this.#newest; entry !== undefined; entry = entry.older) {
      if (!entry.isListed) continue;
      if (entry.note.frame <= frame) return;
      yield entry.note;
    }
  }

  /** Raises the reset of a key's components. */
  raiseReset(note: Note, reset: number, now: number, clusterNow: number): void {
    note.reset = reset;
    note.resets++;
    // No replica may forget the reset while it still ends something on a replica with a slower
    // clock.
    const spentIn = Math.max(0, reset - clusterNow) + this.#keepMs;
    note.keepUntil = Math.max(note.keepUntil, now + spentIn + CLOCKS_MS_MAX);
  }

  /** Raises the reset that only marks see. */
  raiseMarkReset(note: Note, reset: number, now: number): void {
    note.markReset = reset;
    // A replica that missed this may send the mark again; the longest expected absence is a day.
    note.keepUntil = Math.max(note.keepUntil, now + this.#keepMs + MISSED_MS_MAX);
  }

  /** Merges a mark; returns whether it is later than the one known. */
  joinMark(note: Note, kind: number, received: Mark): boolean {
    const later = laterMark(note.marks[kind], received);
    if (later === note.marks[kind]) return false;
    note.marks[kind] = later;
    return true;
  }

  /** Drops notes that have expired; visits at most `budget`. */
  sweep(now: number, clusterNow: number, budget: number): void {
    let looked = 0;
    for (const [key, note] of this.#notes) {
      if (looked++ >= budget) return;
      const speaks =
        note.keepUntil > now ||
        note.marks.some((mark) => mark !== undefined && mark.untilMs > clusterNow);
      if (!speaks) {
        this.#delete(key);
        continue;
      }
      // Moving it to the end lets the next sweep begin with the others.
      this.#notes.delete(key);
      this.#notes.set(key, note);
    }
  }

  all(): Iterable<Note> {
    return this.#notes.values();
  }

  clear(): void {
    this.#notes.clear();
    this.#newest = undefined;
  }

  #delete(key: number): void {
    const note = this.#notes.get(key);
    this.#notes.delete(key);
    if (note !== undefined) this.#unlist(note);
  }

  #unlist(note: Note): void {
    const entry = note.change;
    if (entry === undefined) return;
    note.change = undefined;
    entry.isListed = false;
    if (entry.newer === undefined) this.#newest = entry.older;
    else entry.newer.older = entry.older;
    if (entry.older !== undefined) entry.older.newer = entry.newer;
  }
}
