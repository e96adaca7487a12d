/**
 * What a replica says of itself once a second, and of those it has fallen behind on.
 *
 *     | ready | up | known 4 | allowed | refused | behinds | replica 8 | number | … | held |
 *
 * It is small however much is counted, and names at most `BEHIND_MAX` replicas. How many those are is
 * said before them, and a reader leaves alone what comes at the end: so a later version can say more here.
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
  /** Whether the sender has heard what others counted before it came. */
  readonly isReady: boolean;
  /** For how long the sender has been there. */
  readonly upMs: number;
  /** The same for all who know of the same replicas, and the same of those who are gone. */
  readonly known: number;
  /** Hits that the sender has allowed and refused since it started. */
  readonly allowed: number;
  readonly refused: number;
  readonly behind: readonly Behind[];
  /** For how long the oldest count waits that is in no frame up to the number of this one. */
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

/** Reads a heartbeat; undefined, with `reader.isBroken` set, if it is none. */
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
