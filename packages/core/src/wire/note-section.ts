/**
 * Resets and marks of one limiter, as a section of a frame.
 *
 *     | limiter 8 | reset of all keys |
 *     | notes: | key 8 | flags | reset | reset of marks | marks … | … |
 *
 * They are rare, so only absent fields are saved: the flags say which of the rest follows. Resets
 * and ends are times of the cluster's clock, and are written as they are.
 */

import { MARK_KINDS, type Mark } from "../crdt/mark.ts";
import {
  type FrameReader,
  type FrameWriter,
  type Halves,
  SECTIONS,
  VARINT_BYTES_MAX,
} from "./frame.ts";

const RESET = 1;
const MARK_RESET = 2;
const FIRST_MARK = 4;
const FLAGS_END: number = FIRST_MARK << MARK_KINDS.length;
/** Notes that are read before the slice may end. */
const NOTES_AT_ONCE = 32;
const NOTE_BYTES_MAX: number = 8 + 1 + (2 + 3 * MARK_KINDS.length) * VARINT_BYTES_MAX;

/** What is known of one key beside its counts. */
export interface WireNote extends Halves {
  readonly reset: number;
  readonly markReset: number;
  readonly marks: readonly (Mark | undefined)[];
}

/** Writes as many notes as fit, from `first` on; returns the first that did not. */
export function writeNotes(
  writer: FrameWriter,
  limiter: Halves,
  resetAll: number,
  notes: readonly WireNote[],
  first: number,
): number {
  if (!writer.beginSection(SECTIONS.notes, 8 + VARINT_BYTES_MAX + NOTE_BYTES_MAX)) return first;
  writer.u64(limiter);
  writer.varint(resetAll);
  let next = first;
  for (; next < notes.length && writer.hasRoom(NOTE_BYTES_MAX); next++) {
    writeNote(writer, notes[next]!);
  }
  writer.endSection();
  return next;
}

function writeNote(writer: FrameWriter, note: WireNote): void {
  const { reset, markReset, marks } = note;
  let flags = (reset > 0 ? RESET : 0) | (markReset > 0 ? MARK_RESET : 0);
  MARK_KINDS.forEach((_, kind) => {
    if (marks[kind] !== undefined) flags |= FIRST_MARK << kind;
  });
  writer.u64(note);
  writer.u8(flags);
  if (reset > 0) writer.varint(reset);
  if (markReset > 0) writer.varint(markReset);
  for (const mark of marks) {
    if (mark === undefined) continue;
    writer.varint(mark.reset);
    writer.varint(mark.untilMs);
    // 0 means that the mark holds for every limit of the caller.
    writer.varint(mark.limit === Number.POSITIVE_INFINITY ? 0 : mark.limit + 1);
  }
}

/** Takes the resets and marks of a section. */
export interface NoteSink {
  /** A limiter and the reset of all its keys, 0 for none; returns whether its notes are wanted. */
  limiter(low: number, high: number, resetAll: number): boolean;
  note(note: WireNote): void;
}

/**
 * Reads a section of notes in slices: a frame holds thousands, and each may take a while. Broken
 * input sets `reader.isBroken`, perhaps after some notes were taken.
 */
export function* readNotes(reader: FrameReader, sink: NoteSink): Generator<undefined, void> {
  const { low, high } = reader.u64();
  const resetAll = reader.varint();
  if (reader.isBroken || !sink.limiter(low, high, resetAll)) return;
  for (let read = 1; reader.left > 0; read++) {
    const note = readNote(reader);
    if (note === undefined) {
      reader.isBroken = true;
      return;
    }
    sink.note(note);
    if (read % NOTES_AT_ONCE === 0) yield;
  }
}

function readNote(reader: FrameReader): WireNote | undefined {
  const key = reader.u64();
  const flags = reader.u8();
  const reset = (flags & RESET) === 0 ? 0 : reader.varint();
  const markReset = (flags & MARK_RESET) === 0 ? 0 : reader.varint();
  const marks = MARK_KINDS.map((_, kind) =>
    (flags & (FIRST_MARK << kind)) === 0 ? undefined : readMark(reader),
  );
  return reader.isBroken || flags >= FLAGS_END ? undefined : { ...key, reset, markReset, marks };
}

function readMark(reader: FrameReader): Mark {
  const reset = reader.varint();
  const untilMs = reader.varint();
  const limit = reader.varint();
  return { reset, untilMs, limit: limit === 0 ? Number.POSITIVE_INFINITY : limit - 1 };
}
