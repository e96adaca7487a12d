/**
 * A heartbeat: what a replica says about itself once a second, and which replicas it is behind on.
 *
 *     | ready | up | known 4 | allowed | refused | behinds | replica 8 | number | … | held |
 *
 * Its size does not depend on how much is counted; it names at most `BEHIND_MAX` replicas. The
 * number of replicas comes before them, and a reader ignores what follows `held`, so a later
 * version can add fields.
 */

import type { ByteReader } from "./byte-reader.ts";
import { type FrameWriter, SECTIONS } from "./frame.ts";

/** How many replicas a heartbeat names that its sender is behind on. */
export const BEHIND_MAX = 4;

const HEARTBEAT_BYTES_MAX = 1 + 8 + 4 + 8 + 8 + 1 + BEHIND_MAX * 16 + 8;

/** A replica, and the number of its last frame of counts before the first that is missing. */
export interface Behind {
  readonly low: number;
  readonly high: number;
  readonly number: number;
}

export interface Heartbeat {
  /** Whether the sender's initial sync is over. */
  readonly isReady: boolean;
  /** For how long the sender has been up. */
  readonly upMs: number;
  /** A checksum of the membership as the sender knows it, and of its frames of dead replicas. */
  readonly known: number;
  /** Hits that the sender has allowed and refused since it started. */
  readonly allowed: number;
  readonly refused: number;
  readonly behind: readonly Behind[];
  /** For how long the oldest count has waited that is in no frame up to this one's number. */
  readonly heldMs: number;
}

/** Writes a heartbeat; false if it does not fit any more. */
export function writeHeartbeat(writer: FrameWriter, heartbeat: Heartbeat): boolean {
  if (!writer.beginSection(SECTIONS.heartbeat, HEARTBEAT_BYTES_MAX)) return false;
  writer.u8(heartbeat.isReady ? 1 : 0);
  writer.varint(heartbeat.upMs);
  writer.u32(heartbeat.known);
  writer.varint(heartbeat.allowed);
  writer.varint(heartbeat.refused);
  const behind = heartbeat.behind.slice(0, BEHIND_MAX);
  writer.u8(behind.length);
  for (const { low, high, number } of behind) {
    writer.halves(low, high, 8);
    writer.varint(number);
  }
  writer.varint(heartbeat.heldMs);
  writer.endSection();
  return true;
}

/** Reads a heartbeat; undefined, with `reader.isBroken` set, if the bytes are not one. */
export function readHeartbeat(reader: ByteReader): Heartbeat | undefined {
  const ready = reader.u8();
  const upMs = reader.varint();
  const known = reader.u32();
  const allowed = reader.varint();
  const refused = reader.varint();
  const behinds = reader.u8();
  if (ready > 1 || behinds > BEHIND_MAX) reader.isBroken = true;
  const behind: Behind[] = [];
  while (behind.length < behinds && !reader.isBroken) {
    reader.halves(8);
    const { low, high } = reader;
    behind.push({ low, high, number: reader.varint() });
  }
  const heldMs = reader.varint();
  const isReady = ready === 1;
  if (reader.isBroken) return undefined;
  return { isReady, upMs, known, allowed, refused, behind, heldMs };
}
