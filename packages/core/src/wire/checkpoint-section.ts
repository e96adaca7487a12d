/**
 * Checkpoints, the levels of buckets after some slot, as a section of a frame. They are for
 * replicas that have not received each other for longer than stores keep single slots.
 *
 *     | limiter 8 | policy | slot | checkpoints: | key 8 | reset | slots before | level × 2 | … |
 *
 * The reset is the largest that the sender knew of the key: a level from before a reset is void.
 * The last bit of a level once said that the level lacks no hits. No replica can know that of hits
 * that it has not received, so the bit is written as 0 and ignored.
 */

import type { Checkpoint } from "../crdt/checkpoint.ts";
import {
  type FrameReader,
  type FrameWriter,
  type Halves,
  SECTIONS,
  VARINT_BYTES_MAX,
} from "./frame.ts";

const CHECKPOINT_BYTES_MAX: number = 8 + 3 * VARINT_BYTES_MAX;
/** Checkpoints that are read before the slice may end. */
const CHECKPOINTS_AT_ONCE = 32;
const LEVEL_MAX: number = 2 ** 52 - 1;

/** The level of one key, as of the largest reset that is known of it. */
export interface WireCheckpoint extends Checkpoint, Halves {
  readonly reset: number;
}

/** Writes as many checkpoints as fit, from `first` on; returns the first that did not. */
export function writeCheckpoints(
  writer: FrameWriter,
  limiter: Halves,
  policy: number,
  checkpoints: readonly WireCheckpoint[],
  first: number,
): number {
  if (!writer.beginSection(SECTIONS.checkpoints, 9 + VARINT_BYTES_MAX + CHECKPOINT_BYTES_MAX))
    return first;
  const slot = checkpoints.reduce((latest, each) => Math.max(latest, each.slot), 0);
  writer.u64(limiter);
  writer.u8(policy);
  writer.varint(slot);
  let next = first;
  for (; next < checkpoints.length && writer.hasRoom(CHECKPOINT_BYTES_MAX); next++) {
    const checkpoint = checkpoints[next]!;
    writer.u64(checkpoint);
    writer.varint(checkpoint.reset);
    writer.varint(slot - checkpoint.slot);
    // A larger level refuses everything for good anyway.
    writer.varint(2 * Math.min(checkpoint.level, LEVEL_MAX));
  }
  writer.endSection();
  return next;
}

/** Takes the checkpoints of a section. */
export interface CheckpointSink {
  wants(low: number, high: number, policy: number): boolean;
  checkpoint(checkpoint: WireCheckpoint): void;
}

/** Reads a section of checkpoints in slices. Broken input sets `reader.isBroken`. */
export function* readCheckpoints(
  reader: FrameReader,
  sink: CheckpointSink,
): Generator<undefined, void> {
  const { low, high } = reader.u64();
  const policy = reader.u8();
  const slot = reader.varint();
  if (reader.isBroken || !sink.wants(low, high, policy)) return;
  for (let read = 1; reader.left > 0; read++) {
    const key = reader.u64();
    const reset = reader.varint();
    const before = reader.varint();
    const level = reader.varint();
    if (reader.isBroken || before > slot) {
      reader.isBroken = true;
      return;
    }
    sink.checkpoint({ ...key, reset, slot: slot - before, level: Math.floor(level / 2) });
    if (read % CHECKPOINTS_AT_ONCE === 0) yield;
  }
}
