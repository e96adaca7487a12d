/**
 * What becomes of a store when its limiter is closed and others still count what is in it.
 *
 * What was counted stays, since it was counted. What is held is given back, since nobody is left who
 * would. A limiter that is made again goes on with all of it, within the wider bounds of the two: there
 * may be more than it would have kept.
 */

import type { Pausing } from "../delta/store-delta.ts";
import type { Notes } from "../marks/notes.ts";
import type { Resets } from "../marks/resets.ts";
import type { KeyRecords } from "../table/key-records.ts";
import type { RecordVersions } from "../table/record-versions.ts";
import type { Evictor } from "./evictor.ts";

/** Records in which what is held is given back between two pauses. */
const RECORDS_PER_PAUSE = 256;

/** How much is kept, and for how long. */
export interface StoreBounds {
  readonly keysMax: number;
  /** How long after it was sent a component can still arrive. */
  readonly keepMs: number;
}

export interface HandoverOptions {
  readonly entries: KeyRecords;
  readonly versions: RecordVersions;
  readonly notes: Notes;
  readonly resets: Resets;
  readonly evictor: Evictor;
  /** Says that this replica has counted something in a record. */
  readonly changed: (id: number) => void;
}

export class Handover {
  readonly #options: HandoverOptions;

  constructor(options: HandoverOptions) {
    this.#options = options;
  }

  /** Whether anything is left that is to be told, or was this replica's to decide. */
  get isEmpty(): boolean {
    const { entries, notes } = this.#options;
    return entries.records.size === entries.ownership.foreignKeys && notes.size === 0;
  }

  /** Whether anything can be held at all. */
  get holds(): boolean {
    return this.#options.entries.shapes.some(({ give }) => give !== undefined);
  }

  /** Gives back all that this replica holds, some at a time. */
  *giveBack(): Pausing {
    const { records } = this.#options.entries;
    for (let first = 1; first < records.end; first += RECORDS_PER_PAUSE) {
      this.#giveBackIn(first, RECORDS_PER_PAUSE);
      yield;
    }
  }

  /** Gives back what this replica holds of the keys of some records, from one on. */
  #giveBackIn(first: number, count: number): void {
    const { entries, versions, changed } = this.#options;
    const { ownership, records, shapes } = entries;
    const end = Math.min(first + count, records.end);
    for (let id = first; id < end; id++) {
      if (!ownership.isLive(id) || !ownership.isOwn(id)) continue;
      versions.renew(id);
      let given = 0;
      for (const shape of shapes) given += shape.give?.(id, Number.POSITIVE_INFINITY) ?? 0;
      if (given > 0) changed(id);
    }
  }

  /** Goes on with all that there is, and counts anew what is given up. */
  goOnWithin({ keysMax, keepMs }: StoreBounds): void {
    const { notes, resets, evictor } = this.#options;
    evictor.goOnWithin(keysMax);
    notes.goOnWithin(keysMax, keepMs);
    resets.keepMs = Math.max(resets.keepMs, keepMs);
  }
}
