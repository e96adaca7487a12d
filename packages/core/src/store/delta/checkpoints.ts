/**
 * Publishes and merges the levels of buckets, which contain the slots that were folded away.
 *
 * A replica that joins late, or was disconnected for longer than slots are kept, has not received
 * those slots. Without a level it would start a full bucket as an empty one.
 */

import { type Slices, sliced } from "../../base/slices.ts";
import type { Checkpoint } from "../../crdt/checkpoint.ts";
import type { Resets } from "../marks/resets.ts";
import type { RecordVersions } from "../record-versions.ts";
import type { StoreState } from "../store-state.ts";
import { FINGERPRINT_HIGH, FINGERPRINT_LOW } from "../table/key-index.ts";
import type { KeyRecords } from "../table/key-records.ts";

/** The level of one key's bucket, under the largest reset known for the key. */
export interface KeyCheckpoint extends Checkpoint {
  readonly low: number;
  readonly high: number;
  readonly reset: number;
}

/**
 * After the cluster's time steps back, levels contain hits of slots that are in the future again.
 * Such a level is not published: a receiver could count those hits twice. After this time no frame
 * with those hits is left: slots are kept for some seconds, a replica waits out a small step for up
 * to a minute, and relays pass on frames for as long.
 */
const UNSETTLED_MS = 3 * 60_000;

export interface CheckpointsOptions {
  readonly entries: KeyRecords;
  readonly versions: RecordVersions;
  readonly resets: Resets;
  readonly storeState: StoreState;
  /**
   * Finds or makes the record of a key for a replica that introduces it; 0 when there is no room.
   */
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

  /** Visits the levels of all keys under one policy, a batch for each slice. */
  *all(policy: number, show: (levels: readonly KeyCheckpoint[]) => void): Slices {
    if (!this.has(policy)) return;
    const { records } = this.#options.entries;
    let levels: KeyCheckpoint[] = [];
    const visited = sliced(
      1,
      () => records.end,
      (id) => {
        const level = this.of(id, policy);
        if (level !== undefined) levels.push(level);
      },
    );
    for (let isLast = false; !isLast; ) {
      isLast = visited.next().done === true;
      show(levels);
      levels = [];
      if (!isLast) yield;
    }
  }

  /** The level of a record under one policy; undefined when there is none. */
  of(id: number, policy: number): KeyCheckpoint | undefined {
    const { entries, versions, resets, storeState } = this.#options;
    const { records, shapes } = entries;
    if (storeState.now < versions.steppedBackAtMs + UNSETTLED_MS) return undefined;
    if (!versions.renewIfLive(id)) return undefined;
    const shape = shapes[policy];
    const checkpoint = shape?.folds ? shape.checkpoint?.(id, storeState.clusterNow) : undefined;
    if (checkpoint === undefined || checkpoint.level <= 0) return undefined;
    const low = records.word(id, FINGERPRINT_LOW);
    const high = records.word(id, FINGERPRINT_HIGH);
    return { low, high, reset: resets.known(low, high), ...checkpoint };
  }

  /** Merges the level of another replica; returns whether it changed the local one. */
  join(policy: number, replica: number, received: KeyCheckpoint): boolean {
    const { entries, resets, storeState, obtain } = this.#options;
    const { low, high, reset } = received;
    const shape = entries.shapes[policy];
    if (shape?.joinCheckpoint === undefined || !shape.folds || !resets.admit(low, high, reset))
      return false;
    const id = obtain(low, high, replica);
    return id !== 0 && shape.joinCheckpoint(id, received, storeState.clusterNow);
  }
}
