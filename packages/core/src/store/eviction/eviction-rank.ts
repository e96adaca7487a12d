/**
 * How little a record matters; the lowest goes first.
 *
 * EvictionRanks come before weights: a key that is being refused outlasts any number that only counts, or
 * a flood of new keys would free it. What is held is never given up.
 */

import type { StoreState } from "../store-state.ts";
import { REFUSED, type Shape, STATE, VERSION_SHIFT } from "../table/entry.ts";
import type { KeyRecords } from "../table/key-records.ts";
import type { RecordPool } from "../table/record-pool.ts";
import type { RecordVersions } from "../table/record-versions.ts";

/** Nothing in it counts any more. */
export const EXPIRED = 0;
/** Known only from others. */
export const FOREIGN = 1;
/** Something of this replica's own counts in it. */
export const COUNTED = 2;
/** Its last check was refused. */
export const LIMITED = 3;
/** Someone will release what is in it. */
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

  /** The rank of a record, which is up to date then. */
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

  /** Of records of one rank, the lighter goes first. */
  weight(id: number): number {
    let weight = 0;
    for (const shape of this.#shapes) weight = Math.max(weight, shape.weight(id));
    return weight;
  }
}
