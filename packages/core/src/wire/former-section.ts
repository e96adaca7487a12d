/**
 * The id that the sender had before, sent as long as other replicas may take both ids for alive.
 *
 *     former   | replica 8 | up to |   that replica's permits up to that frame are the sender's
 */

import type { ByteReader } from "./byte-reader.ts";
import { VARINT_BYTES_MAX } from "./byte-writer.ts";
import { type FrameWriter, SECTIONS } from "./frame.ts";

export interface WireFormer {
  readonly low: number;
  readonly high: number;
  /** The number of the last frame of counts that was sent under that id. */
  readonly upTo: number;
}

export function writeFormer(writer: FrameWriter, former: WireFormer): boolean {
  if (!writer.beginSection(SECTIONS.former, 8 + VARINT_BYTES_MAX)) return false;
  writer.halves(former.low, former.high, 8);
  writer.varint(former.upTo);
  writer.endSection();
  return true;
}

export function readFormer(reader: ByteReader): WireFormer | undefined {
  reader.halves(8);
  const { low, high } = reader;
  const upTo = reader.varint();
  if (reader.left > 0) reader.isBroken = true;
  return reader.isBroken ? undefined : { low, high, upTo };
}
