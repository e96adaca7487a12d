/**
 * The rare things known about a key beside its counts: resets and marks.
 *
 * They live in a side table under the key's fingerprint, apart from its record, because they must
 * survive the record: a reset is kept as long as anything it ends can still arrive, and a blocked
 * key stays blocked however many other keys come. The table is bounded by itself; when it is full, a
 * note without marks goes before one with them, and of either kind one that has been there for long.
 *
 * Notes are also linked by their last change, newest first. A flush reads the list from its head and
 * stops at the first note that has left already, so its cost follows what changed.
 */

import { laterMark, MARK_KINDS, type Mark } from "../../crdt/mark.ts";
import { fingerprint53 } from "../table/fingerprint.ts";

/** How long it is remembered that marks were lifted: a day beyond the time of the longest window. */
const MISSED_MS_MAX = 24 * 60 * 60 * 1_000;
/** How far replicas may disagree on the cluster's time. */
const CLOCKS_MS_MAX = 10_000;
/** Notes looked at for one to give up. */
const LOOKS = 64;

/**
 * The place of a note in the list of changes. A note that changes again gets a new entry. The old entry
 * keeps its link to an older one, so a reader that was interrupted there can go on.
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
  /** Its place in the list of changes, once it has changed. */
  change: ChangeEntry | undefined;
}

export class Notes {
  readonly #notes = new Map<number, Note>();
  #notesMax: number;
  #keepMs: number;
  /** Notes given up for want of room. */
  dropped = 0;
  #newest: ChangeEntry | undefined;

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
      this.#delete(this.#leastOf());
      this.dropped++;
    }
    const marks = MARK_KINDS.map(() => undefined);
    const times = { frame: 0, keepUntil: 0, change: undefined };
    const note: Note = { low, high, reset: 0, resets: 0, markReset: 0, marks, ...times };
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

  /** Lets a note leave in a frame, whose number is never smaller than in the change before. */
  change(note: Note, frame: number): void {
    note.frame = frame;
    this.#unlist(note);
    const entry = { note, isListed: true, newer: undefined, older: this.#newest };
    if (this.#newest !== undefined) this.#newest.newer = entry;
    this.#newest = entry;
    note.change = entry;
  }

  /**
   * The notes that leave after a frame, those that changed last first. Notes may change while the
   * caller pauses: those leave in a later frame, and may be left out here.
   */
  *changedSince(frame: number): Generator<Note, void> {
    for (let entry = this.#newest; entry !== undefined; entry = entry.older) {
      if (!entry.isListed) continue;
      if (entry.note.frame <= frame) return;
      yield entry.note;
    }
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
      if (!speaks) {
        this.#delete(key);
        continue;
      }
      // Putting it back at the end lets the next sweep begin with the others.
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
