/**
 * The level of a bucket that is published, and the merge of received ones.
 *
 * A published level contains no hits of slots later than the slot it names, so the receiver can add
 * the later slots that it knows. A received level may name a slot that is still kept apart here.
 * Counts that arrive afterwards for slots up to that one may be in the level, so they are not
 * counted again.
 *
 * While a level is on its way, the receiver folds slots away. A level without those slots would be
 * lower than the receiver's own, and hits of one of the two would be lost. So the oldest kept slots
 * are included in the published level: as many as may be folded away in the meantime.
 */

import { type Checkpoint, foldSlot, joinedCheckpoint } from "../../../crdt/checkpoint.ts";
import { LEVEL_SCALE, type SlotGrid } from "./slot-grid.ts";

export class PublishedLevels {
  readonly #grid: SlotGrid;
  readonly #published: number;

  /** @param published how many of the kept slots the published level contains */
  constructor(grid: SlotGrid, published: number) {
    this.#grid = grid;
    this.#published = published;
  }

  /** The published level of a record, after the newest slot that it contains. */
  of(id: number): Checkpoint {
    let { slot, level } = this.#folded(id);
    const end = slot + Math.max(this.#grid.joined(id), this.#published);
    while (slot < end) {
      slot++;
      level = foldSlot(level, this.#grid.leak, this.#hitsIn(id, slot));
    }
    return { slot, level };
  }

  /** Merges a received level; returns whether it changed the local one. */
  join(id: number, received: Checkpoint): boolean {
    const grid = this.#grid;
    const own = this.#folded(id);
    if (received.slot > grid.time.slot + grid.ahead) return false;
    const joined = joinedCheckpoint(own, received, grid.leak, (slot) => this.#hitsIn(id, slot));
    if (joined === own) return false;
    grid.setLevel(id, joined.level);
    grid.setJoined(id, Math.max(grid.joined(id), received.slot - own.slot));
    return true;
  }

  /** Whether a merged level may contain the others' counts of a slot. Needs a `read`. */
  contain(id: number, slot: number): boolean {
    return slot <= this.#grid.foldedUntil + this.#grid.joined(id);
  }

  /** The level after the newest slot that is no longer kept apart. */
  #folded(id: number): Checkpoint {
    const grid = this.#grid;
    grid.align(id);
    return { slot: grid.foldedUntil, level: grid.level(id) };
  }

  /** Thousandths of hits known in a slot. */
  #hitsIn(id: number, slot: number): number {
    return this.#grid.bins.hits(id, this.#grid.binOf(slot)) * LEVEL_SCALE;
  }
}
