/**
 * A bucket's level as it is told to others, and as it is heard from them.
 *
 * A level that is told contains no hits of later slots than it says, so whoever hears it can add what it
 * knows of later ones. One that is heard may be of a slot that is still kept apart here: what is heard of
 * the slots up to that afterwards may be in the level, and is not counted again.
 *
 * While a level is on its way, slots are folded away where it arrives. A level that lacked them would be
 * compared with one that has little else in it, and either loses hits. So the oldest slots that are kept
 * are told in the level: as many as may be folded away meanwhile.
 */

import { type Checkpoint, foldSlot, joinedCheckpoint } from "../../../crdt/checkpoint.ts";
import { LEVEL_SCALE } from "./bucket-level.ts";
import type { SlotGrid } from "./slot-grid.ts";

export class ToldLevels {
  readonly #grid: SlotGrid;
  readonly #told: number;

  /** @param told how many of the slots that are kept apart are in what is told */
  constructor(grid: SlotGrid, told: number) {
    this.#grid = grid;
    this.#told = told;
  }

  /** The level of a record after the newest slot that is told in it. */
  of(id: number): Checkpoint {
    let { slot, level } = this.#folded(id);
    const leak = this.#grid.level?.leak ?? 0;
    const end = slot + Math.max(this.#grid.head.joined(id), this.#told);
    while (slot < end) {
      slot++;
      level = foldSlot(level, leak, this.#hitsIn(id, slot));
    }
    return { slot, level };
  }

  /** Merges a level that was heard; returns whether it was better than the own one. */
  join(id: number, heard: Checkpoint): boolean {
    const grid = this.#grid;
    const own = this.#folded(id);
    const { level } = grid;
    if (level === null || heard.slot > grid.time.slot + grid.ahead) return false;
    const joined = joinedCheckpoint(own, heard, level.leak, (slot) => this.#hitsIn(id, slot));
    if (joined === own) return false;
    level.set(id, joined.level);
    grid.head.setJoined(id, Math.max(grid.head.joined(id), heard.slot - own.slot));
    return true;
  }

  /** Whether what others have counted in a slot may be in a level that was heard. Needs a `read`. */
  contain(id: number, slot: number): boolean {
    return slot <= this.#grid.foldedUntil + this.#grid.head.joined(id);
  }

  /** The level after the newest slot that is not kept apart any more. */
  #folded(id: number): Checkpoint {
    const grid = this.#grid;
    grid.align(id);
    return { slot: grid.foldedUntil, level: grid.level?.of(id) ?? 0 };
  }

  /** Thousandths of hits that are known of in a slot. */
  #hitsIn(id: number, slot: number): number {
    return this.#grid.bins.hits(id, this.#grid.binOf(slot)) * LEVEL_SCALE;
  }
}
