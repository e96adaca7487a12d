/**
 * The sections of anti-entropy: a sync request, and what a sync reply covers.
 *
 *     asking   | replica 8 | since | others |
 *         requests that replica's counts that changed after frame `since`, and those of dead
 *         replicas if `others` is 1
 *     heard    | replica 8 | up to | clock | silent | above 4 |
 *         the reply has all that its sender knows of that replica's counts
 *     page     | since | up to | telling | part | parts | held |
 *         one part of a reply; all that its sender holds is in the reply if `held` is 1
 *
 * A receiver of all parts knows what the sender knew after frame `up to`, whatever was lost before.
 * The number of parts is only known at the end: `parts` is 0 in all but the last. A repeated reply
 * may have other parts, so parts of two replies never mix. Frames of counts have a page section
 * only if several of them share one number, which is in the header.
 */

import type { ByteReader } from "./byte-reader.ts";
import { VARINT_BYTES_MAX } from "./byte-writer.ts";
import { type FrameWriter, SECTIONS } from "./frame.ts";

/** A sync request to a replica. All replicas receive it, so all learn that it was asked. */
export interface Asking {
  readonly low: number;
  readonly high: number;
  readonly since: number;
  /** Whether to include what the asked replica knows of dead replicas. */
  readonly others: boolean;
}

/** Which part of which reply a frame is. */
export interface Page {
  readonly since: number;
  readonly upTo: number;
  /** A number that its sender gives to no other reply. */
  readonly telling: number;
  /** From 0. */
  readonly part: number;
  /** In the last part, how many parts there are; otherwise 0. */
  readonly parts: number;
  /** Whether all permits that the sender holds are in the reply: others have been released. */
  readonly hasAllHeld: boolean;
}

/** Another replica, of which a reply has all counts that its sender knows. */
export interface Heard {
  readonly low: number;
  readonly high: number;
  /** The last of its frames that the sender received without a gap. */
  readonly upTo: number;
  /** What its raw clock shows when the frame is sent, as far as the sender knows. */
  readonly clockMs: number;
  /** For how long nothing of it has been received. */
  readonly silentMs: number;
  /** Which frames the sender received above the gap: bit 0 is frame `upTo + 2`. */
  readonly above: number;
}

/** More parts than the largest table has; a reply with more is refused. */
export const PARTS_MAX = 65_536;
/** How far above `upTo` the last frame lies that `above` can name. */
const ABOVE_MAX = 33;
const HEARD_BYTES_MAX: number = 8 + 3 * VARINT_BYTES_MAX + 4;
/** The most bytes that the section of a page takes. */
export const PAGE_BYTES_MAX: number = 3 + 5 * VARINT_BYTES_MAX + 1;

export function writeAsking(writer: FrameWriter, asking: Asking): boolean {
  if (!writer.beginSection(SECTIONS.asking, 8 + VARINT_BYTES_MAX + 1)) return false;
  writer.halves(asking.low, asking.high, 8);
  writer.varint(asking.since);
  writer.u8(asking.others ? 1 : 0);
  writer.endSection();
  return true;
}

export function readAsking(reader: ByteReader): Asking | undefined {
  reader.halves(8);
  const { low, high } = reader;
  const since = reader.varint();
  const others = reader.u8();
  if (reader.left > 0 || others > 1) reader.isBroken = true;
  return reader.isBroken ? undefined : { low, high, since, others: others === 1 };
}

export function writeHeard(writer: FrameWriter, report: Heard): boolean {
  if (!writer.beginSection(SECTIONS.heard, HEARD_BYTES_MAX)) return false;
  writer.halves(report.low, report.high, 8);
  writer.varint(report.upTo);
  writer.varint(report.clockMs);
  writer.varint(report.silentMs);
  writer.u32(report.above);
  writer.endSection();
  return true;
}

export function readHeard(reader: ByteReader): Heard | undefined {
  reader.halves(8);
  const { low, high } = reader;
  const upTo = reader.varint();
  const clockMs = reader.varint();
  const silentMs = reader.varint();
  const above = reader.u32();
  // The numbers above must be safe integers too.
  if (reader.left > 0 || upTo > Number.MAX_SAFE_INTEGER - ABOVE_MAX) reader.isBroken = true;
  return reader.isBroken ? undefined : { low, high, upTo, clockMs, silentMs, above };
}

export function writePage(writer: FrameWriter, page: Page): boolean {
  if (!writer.beginSection(SECTIONS.page, 5 * VARINT_BYTES_MAX + 1)) return false;
  writer.varint(page.since);
  writer.varint(page.upTo);
  writer.varint(page.telling);
  writer.varint(page.part);
  writer.varint(page.parts);
  writer.u8(page.hasAllHeld ? 1 : 0);
  writer.endSection();
  return true;
}

export function readPage(reader: ByteReader): Page | undefined {
  const since = reader.varint();
  const upTo = reader.varint();
  const telling = reader.varint();
  const part = reader.varint();
  const parts = reader.varint();
  const held = reader.u8();
  const isPage = since <= upTo && part < PARTS_MAX && (parts === 0 || parts === part + 1);
  if (!isPage || held > 1 || reader.left > 0) reader.isBroken = true;
  return reader.isBroken
    ? undefined
    : { since, upTo, telling, part, parts, hasAllHeld: held === 1 };
}
