/**
 * Ranks records for eviction: the lowest rank is evicted first.
 *
 * Ranks come before weights: a refused key outranks any key that is only counted. Otherwise a flood
 * of new keys would free refused ones. A record that holds permits is never evicted.
 */

import type { StoreState } from "../store-state.ts";
import { REFUSED, type Shape, STATE, VERSION_SHIFT } from "../table/entry.ts";
import type { KeyRecords } from "../table/key-records.ts";
import type { RecordPool } from "../table/record-pool.ts";
import type { RecordVersions } from "../table/record-versions.ts";

/** Nothing in the record counts any more. */
export const EXPIRED = 0;
/** Only other replicas have counted the key. */
export const FOREIGN = 1;
/** This replica has counts of its own in the record. */
export const COUNTED = 2;
/** The last check of the key was refused. */
export const LIMITED = 3;
/** The record holds permits that will be released. */
export const HELD = 4;

export class EvictionRanks {
  readonly #records: RecordPool;
  readonly #shapes: readonly Shape[];
  readonly #versions: RecordVersions;
  readonly #storeState: StoreState;

  constructor(entries: KeyRecords, versions: RecordVersions, storeState: StoreState) {
    this.#records = entries.records;
    this.#shapes = entries.shapes;
    this.#versions = versions;
    this.#storeState = storeState;
  }

  /** The rank of a record, which is brought up to date first. */
  of(id: number): number {
    const { now, clusterNow, ownState } = this.#storeState;
    const state = this.#records.word(id, STATE);
    if ((state ^ ownState) >>> VERSION_SHIFT !== 0) this.#versions.renew(id);
    let expired = true;
    let own = false;
    for (const shape of this.#shapes) {
      if (shape.isHeld(id)) return HELD;
      if (shape.isExpired(id, now, clusterNow)) continue;
      expired = false;
      own ||= shape.isOwn(id, now, clusterNow);
    }
    if (expired) return EXPIRED;
    if ((state & REFUSED) !== 0) return LIMITED;
    return own ? COUNTED : FOREIGN;
  }

  /** Among records of one rank, the lighter one is evicted first. */
  weight(id: number): number {
    let weight = 0;
    for (const shape of this.#shapes) weight = Math.max(weight, shape.weight(id));
    return weight;
  }
}
