/**
 * Keeps a store after its limiter is closed, while other replicas still count its keys.
 *
 * Counts stay valid. Held permits are released, because no later call can release them. A limiter
 * that is created again under the same name continues with this store, within the wider of the two
 * bounds. The store may then hold more than the new limiter would have kept.
 */

import type { Pausing } from "../delta/store-delta.ts";
import type { Notes } from "../marks/notes.ts";
import type { Resets } from "../marks/resets.ts";
import type { KeyRecords } from "../table/key-records.ts";
import type { RecordVersions } from "../table/record-versions.ts";
import type { Evictor } from "./evictor.ts";

/** Records in which permits are released between two pauses. */
const RECORDS_PER_PAUSE = 256;

/** How many keys a store keeps, and for how long. */
export interface StoreBounds {
  readonly keysMax: number;
  /** The longest time between sending a component and its arrival. */
  readonly keepMs: number;
}

export interface HandoverOptions {
  readonly entries: KeyRecords;
  readonly versions: RecordVersions;
  readonly notes: Notes;
  readonly resets: Resets;
  readonly evictor: Evictor;
  /** Marks a record as changed by this replica. */
  readonly changed: (id: number) => void;
}

export class Handover {
  readonly #options: HandoverOptions;

  constructor(options: HandoverOptions) {
    this.#options = options;
  }

  /** Whether nothing is left to publish and no key is owned by this replica. */
  get isEmpty(): boolean {
    const { entries, notes } = this.#options;
    return entries.records.size === entries.ownership.foreignKeys && notes.size === 0;
  }

  /** Whether any policy holds permits. */
  get holds(): boolean {
    return this.#options.entries.shapes.some(({ releasePermits }) => releasePermits !== undefined);
  }

  /** Releases all permits of this replica, in batches. */
  *giveBack(): Pausing {
    const { records } = this.#options.entries;
    for (let first = 1; first < records.end; first += RECORDS_PER_PAUSE) {
      this.#releaseIn(first, RECORDS_PER_PAUSE);
      yield;
    }
  }

  /** Releases this replica's permits in a range of records. */
  #releaseIn(first: number, count: number): void {
    const { entries, versions, changed } = this.#options;
    const { ownership, records, shapes } = entries;
    const end = Math.min(first + count, records.end);
    for (let id = first; id < end; id++) {
      if (!ownership.isLive(id) || !ownership.isOwn(id)) continue;
      versions.renew(id);
      let released = 0;
      for (const shape of shapes) {
        released += shape.releasePermits?.(id, Number.POSITIVE_INFINITY) ?? 0;
      }
      if (released > 0) changed(id);
    }
  }

  /** Continues with the existing records under other bounds, and restarts the statistics. */
  continueWithin({ keysMax, keepMs }: StoreBounds): void {
    const { notes, resets, evictor } = this.#options;
    evictor.continueWithin(keysMax);
    notes.continueWithin(keysMax, keepMs);
    resets.keepMs = Math.max(resets.keepMs, keepMs);
  }
}
