/**
 * A bucket: the level falls by `leak` in every slot, and rises by the slot's hits.
 *
 * The last few slots are kept apart, so that late hits can still be counted in them. Older slots
 * are folded into a checkpoint: the level after some slot. Levels are in thousandths of a hit.
 */

import type { Origin, ReferenceBook, ReferenceView, World } from "./book.ts";
import { type Counts, Ledger, nameOf, type ReferenceComponent } from "./ledger.ts";
import type { ReferenceFloors } from "./reference-floors.ts";

const HIT = 1_000;

export interface ReferenceBucketOptions {
  readonly slotMs: number;
  /** Slots that are kept apart, including the current one. */
  readonly slotCount: number;
  /** How many of them, oldest first, a published checkpoint contains. */
  readonly told: number;
  /** The leak of one slot. */
  readonly leak: number;
}

export interface ReferenceCheckpoint {
  readonly slot: number;
  readonly level: number;
}

export class BucketBook implements ReferenceBook {
  readonly endsWithReset = true;
  readonly hasNoPeriods = false;
  readonly #world: World;
  readonly #floors: ReferenceFloors | undefined;
  readonly #options: ReferenceBucketOptions;
  readonly #ledger = new Ledger();
  #checkpoint: ReferenceCheckpoint;
  /** A merged level contains all slots up to this one, so they accept no more hits. */
  #joinedUntil = Number.NEGATIVE_INFINITY;

  constructor(world: World, options: ReferenceBucketOptions, floors?: ReferenceFloors) {
    this.#world = world;
    this.#floors = floors;
    this.#options = options;
    this.#checkpoint = { slot: this.#current() - options.slotCount, level: 0 };
  }

  catchUp(): void {
    const target = this.#current() - this.#options.slotCount;
    let { slot, level } = this.#checkpoint;
    if (target === slot) return;
    while (slot < target) {
      slot++;
      level = this.#fold(level, slot);
    }
    this.#ledger.forget(({ period }) => period <= target);
    this.#checkpoint = { slot: target, level };
  }

  /** When the clock steps back, no slot is kept apart: all of them are folded into the level. */
  stepBack(): void {
    const { slotCount, leak } = this.#options;
    const { slot } = this.#checkpoint;
    const level = this.#levelAfter(this.#checkpoint.level, slot + slotCount + 1);
    this.#ledger.forget(() => true);
    this.#joinedUntil = Number.NEGATIVE_INFINITY;
    this.#checkpoint = {
      slot: this.#current() - slotCount,
      level: level > 0 ? level + slotCount * leak : 0,
    };
  }

  count(origin: Origin, counts: Partial<Counts>): string {
    const { self } = this.#world;
    const identity = { ...origin, replica: self, opener: self, period: this.#current() };
    this.#ledger.add(identity, counts);
    return nameOf(identity);
  }

  refund(name: string, cost: number): number {
    return this.#ledger.refund(name, cost);
  }

  admits({ period }: ReferenceComponent): boolean {
    const current = this.#current();
    return period > current - this.#options.slotCount && period <= current + 1;
  }

  join(component: ReferenceComponent): boolean {
    return component.period > this.#joinedUntil && this.#ledger.join(component);
  }

  emit(): ReferenceComponent[] {
    return this.#ledger.all().filter(({ replica }) => replica === this.#world.self);
  }

  drop(dropped: string): void {
    this.#ledger.forget(({ replica }) => replica === dropped);
  }

  wipe(): void {
    this.#ledger.forget(() => true);
    this.#joinedUntil = Number.NEGATIVE_INFINITY;
    this.#checkpoint = { ...this.#checkpoint, level: 0 };
  }

  isOver(): boolean {
    return this.#ledger.all().length === 0 && this.view().held === 0;
  }

  isHeld(): boolean {
    return false;
  }

  view(): ReferenceView {
    const current = this.#current();
    let { slot, level } = this.#checkpoint;
    while (slot < current) {
      slot++;
      level = this.#fold(level, slot);
    }
    const ahead = this.#ledger.held(({ period }) => period === current + 1) * HIT;
    return { held: level + ahead, refusals: 0, endsAt: 0 };
  }

  get checkpoint(): ReferenceCheckpoint {
    const own = this.#checkpoint;
    const slot = Math.max(this.#joinedUntil, own.slot + this.#options.told);
    return { slot, level: this.#levelAfter(own.level, slot) };
  }

  /** Merges another replica's checkpoint; returns whether it changed the own one. */
  joinCheckpoint(heard: ReferenceCheckpoint): boolean {
    if (heard.slot > this.#current() + 1) return false;
    const own = this.#checkpoint;
    if (heard.slot <= own.slot) {
      // The slots between are not kept apart here, so the level drains without them.
      let level = heard.level;
      for (let slot = heard.slot; slot < own.slot; slot++) {
        level = Math.max(0, level - this.#options.leak);
      }
      if (level <= own.level) return false;
      this.#checkpoint = { slot: own.slot, level };
      this.#floors?.receivedLevel(heard.slot);
      return true;
    }
    if (heard.level <= this.#levelAfter(own.level, heard.slot)) return false;
    this.#checkpoint = { slot: own.slot, level: this.#startFor(heard) };
    this.#joinedUntil = Math.max(this.#joinedUntil, heard.slot);
    this.#floors?.receivedLevel(heard.slot);
    return true;
  }

  /** The least level after the own checkpoint's slot that leads to at least the received one. */
  #startFor(heard: ReferenceCheckpoint): number {
    let start = heard.level;
    for (let slot = heard.slot; slot > this.#checkpoint.slot; slot--) {
      // Undoes one fold. No start leads below the slots' own hits; then 0 is enough.
      start += this.#options.leak - this.#hitsIn(slot) * HIT;
    }
    return Math.max(0, start);
  }

  #levelAfter(start: number, last: number): number {
    let level = start;
    for (let slot = this.#checkpoint.slot + 1; slot <= last; slot++) {
      level = this.#fold(level, slot);
    }
    return level;
  }

  #fold(level: number, slot: number): number {
    return Math.max(0, Math.max(0, level - this.#options.leak) + this.#hitsIn(slot) * HIT);
  }

  #hitsIn(slot: number): number {
    return this.#ledger.held(({ period }) => period === slot);
  }

  #current(): number {
    return Math.floor(this.#world.clusterNow / this.#options.slotMs);
  }
}
