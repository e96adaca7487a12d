/**
 * What is left of slots that were folded away, on its way to others and from them: a replica that
 * heard nothing of them for so long, or that has just come, would begin a full bucket as an empty one.
 */

import type { Checkpoint } from "../../crdt/checkpoint.ts";
import type { Resets } from "../marks/resets.ts";
import type { StoreState } from "../store-state.ts";
import { LIVE, STATE } from "../table/entry.ts";
import { FINGERPRINT_HIGH, FINGERPRINT_LOW } from "../table/key-index.ts";
import type { KeyRecords } from "../table/key-records.ts";
import type { RecordVersions } from "../table/record-versions.ts";
import type { Pausing } from "./store-delta.ts";

/** Records that are looked at between two pauses. */
const RECORDS_PER_PAUSE = 32;

/** The level of one key's bucket, as of the largest reset that is known of the key. */
export interface KeyCheckpoint extends Checkpoint {
  readonly low: number;
  readonly high: number;
  readonly reset: number;
}

/**
 * After a step back of the cluster's time levels hold hits of slots that are still to come, and so are
 * not told: whoever hears of them might hear of those hits again. After so long nobody tells them any
 * more: slots are kept for some seconds, a small step is waited out for a minute, and frames are passed
 * on for as long.
 */
const UNSETTLED_MS = 3 * 60_000;

export interface CheckpointsOptions {
  readonly entries: KeyRecords;
  readonly versions: RecordVersions;
  readonly resets: Resets;
  readonly storeState: StoreState;
  /** The record of a key that a replica brings in, made if there is none; 0 for no room. */
  readonly obtain: (low: number, high: number, replica: number) => number;
}

export class Checkpoints {
  readonly #options: CheckpointsOptions;

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** Whether slots of a policy are folded into a level. */
  has(policy: number): boolean {
    return this.#options.entries.shapes[policy]?.folds === true;
  }

  /** Shows all that is left under one policy, of some keys at a time. */
  *all(policy: number, show: (levels: readonly KeyCheckpoint[]) => void): Pausing {
    if (!this.has(policy)) return;
    const { records } = this.#options.entries;
    let levels: KeyCheckpoint[] = [];
    for (let id = 1; id < records.end; id++) {
      const level = this.of(id, policy);
      if (level !== undefined) levels.push(level);
      if (id % RECORDS_PER_PAUSE !== 0) continue;
      show(levels);
      levels = [];
      yield;
    }
    show(levels);
  }

  /** What is left in a record under one policy; undefined for nothing. */
  of(id: number, policy: number): KeyCheckpoint | undefined {
    const { entries, versions, resets, storeState } = this.#options;
    const { records, shapes } = entries;
    if (storeState.now < versions.steppedBackAtMs + UNSETTLED_MS) return undefined;
    if (id >= records.end || (records.word(id, STATE) & LIVE) === 0) return undefined;
    versions.renew(id);
    const checkpoint = shapes[policy]?.checkpoint?.(id, storeState.clusterNow);
    if (checkpoint === undefined || checkpoint.level <= 0) return undefined;
    const low = records.word(id, FINGERPRINT_LOW);
    const high = records.word(id, FINGERPRINT_HIGH);
    return { low, high, reset: resets.known(low, high), ...checkpoint };
  }

  /** Merges what another replica has left; returns whether it was better than what is here. */
  join(policy: number, replica: number, heard: KeyCheckpoint): boolean {
    const { entries, resets, storeState, obtain } = this.#options;
    const { low, high, reset } = heard;
    const shape = entries.shapes[policy];
    if (shape?.joinCheckpoint === undefined || !shape.folds || !resets.admit(low, high, reset))
      return false;
    const id = obtain(low, high, replica);
    return id !== 0 && shape.joinCheckpoint(id, heard, storeState.clusterNow);
  }
}
