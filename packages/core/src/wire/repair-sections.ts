/**
 * Asking for what was missed, and saying what an answer covers.
 *
 *     asking   | replica 8 | since |            counts of that replica that changed after frame `since`
 *     page     | since | up to | part | parts | one of the frames that together say all of it
 *
 * Who holds all pages of an answer is where that replica was after frame `up to`, whatever was lost
 * before. Frames of counts need no such thing: their number is in the header.
 */

import type { ByteReader } from "./byte-reader.ts";
import { type FrameWriter, SECTIONS } from "./frame.ts";

/** Asks for a replica's counts: 0 for all that still count. */
export interface Asking {
  readonly low: number;
  readonly high: number;
  readonly since: number;
}

/** Which part of which answer a frame is. */
export interface Page {
  readonly since: number;
  readonly upTo: number;
  /** From 0. */
  readonly part: number;
  readonly parts: number;
}

/** More pages than the largest table has; an answer with more is not believed. */
export const PARTS_MAX = 65_536;

export function writeAsking(writer: FrameWriter, asking: Asking): boolean {
  if (!writer.beginSection(SECTIONS.asking, 16)) return false;
  writer.halves(asking.low, asking.high, 8);
  writer.varint(asking.since);
  writer.endSection();
  return true;
}

export function readAsking(reader: ByteReader): Asking | undefined {
  reader.halves(8);
  const { low, high } = reader;
  const since = reader.varint();
  if (reader.left > 0) reader.isBroken = true;
  return reader.isBroken ? undefined : { low, high, since };
}

export function writePage(writer: FrameWriter, page: Page): boolean {
  if (!writer.beginSection(SECTIONS.page, 32)) return false;
  writer.varint(page.since);
  writer.varint(page.upTo);
  writer.varint(page.part);
  writer.varint(page.parts);
  writer.endSection();
  return true;
}

export function readPage(reader: ByteReader): Page | undefined {
  const since = reader.varint();
  const upTo = reader.varint();
  const part = reader.varint();
  const parts = reader.varint();
  const isPage = since <= upTo && part < parts && parts <= PARTS_MAX;
  if (!isPage || reader.left > 0) reader.isBroken = true;
  return reader.isBroken ? undefined : { since, upTo, part, parts };
}
