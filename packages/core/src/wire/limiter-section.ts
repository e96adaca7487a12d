/**
 * The limiters of a replica, so that other replicas notice when one name is configured in two ways.
 * The section goes with heartbeats, a few limiters at a time.
 *
 *     | limiters: | name 8 | identity 8 | policies | limit … | … |
 */

import type { ByteReader } from "./byte-reader.ts";
import { VARINT_BYTES_MAX } from "./byte-writer.ts";
import { type FrameWriter, SECTIONS } from "./frame.ts";
import type { Halves } from "./seal.ts";

/** A limiter cannot have more policies; a section with more is refused. */
const POLICIES_MAX = 16;
const LIMITER_BYTES_MAX: number = 8 + 8 + 1 + POLICIES_MAX * VARINT_BYTES_MAX;

export interface WireLimiter {
  /** Stands for its name. */
  readonly name: Halves;
  /** The same for all limiters that count together. */
  readonly identity: Halves;
  /** The limit of each policy. */
  readonly limits: readonly number[];
}

/** Writes limiters, as many as fit. */
export function writeLimiters(writer: FrameWriter, limiters: readonly WireLimiter[]): void {
  if (limiters.length === 0) return;
  if (!writer.beginSection(SECTIONS.limiters, LIMITER_BYTES_MAX)) return;
  for (const { name, identity, limits } of limiters) {
    if (!writer.hasRoom(LIMITER_BYTES_MAX)) break;
    writer.halves(name.low, name.high, 8);
    writer.halves(identity.low, identity.high, 8);
    writer.u8(limits.length);
    for (const limit of limits) writer.varint(limit);
  }
  writer.endSection();
}

/** Reads limiters. Broken input sets `reader.isBroken`, and the limiters before it are returned. */
export function readLimiters(reader: ByteReader): WireLimiter[] {
  const limiters: WireLimiter[] = [];
  while (reader.left > 0) {
    const name = halves(reader);
    const identity = halves(reader);
    const policies = reader.u8();
    if (policies === 0 || policies > POLICIES_MAX) reader.isBroken = true;
    const limits: number[] = [];
    while (limits.length < policies && !reader.isBroken) limits.push(reader.varint());
    if (reader.isBroken) break;
    limiters.push({ name, identity, limits });
  }
  return limiters;
}

function halves(reader: ByteReader): Halves {
  reader.halves(8);
  return { low: reader.low, high: reader.high };
}
