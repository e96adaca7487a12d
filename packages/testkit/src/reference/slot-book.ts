/**
 * Aligned and calendar windows, and the slots of a sliding window.
 *
 * The period is the number of a slot. One slot ahead is kept for replicas whose clocks are a little
 * ahead; slots that are too old are dropped whole.
 */

import type { Origin, ReferenceBook, ReferenceView, World } from "./book.ts";
import { type Counts, Ledger, nameOf, type ReferenceComponent } from "./ledger.ts";

/** The slots around one instant, oldest first; the last one is the next slot. */
export interface Cut {
  /** The slots that are kept; the current one is the last but one. */
  readonly slots: readonly number[];
  /** When the current slot ends. */
  readonly endsAt: number;
}

export interface ReferenceSlotOptions {
  readonly cutAt: (clusterNow: number) => Cut;
  /** What counts, given the hits of every kept slot. */
  readonly heldIn: (hits: readonly number[], leftMs: number) => number;
  /**
   * Whether own slots are kept when the clock steps back and they are in the future or no longer
   * kept.
   */
  readonly keepsOwn: boolean;
}

export class SlotBook implements ReferenceBook {
  readonly endsWithReset = true;
  readonly hasNoPeriods = false;
  readonly #world: World;
  readonly #options: ReferenceSlotOptions;
  readonly #ledger = new Ledger();
  #current = Number.NEGATIVE_INFINITY;

  constructor(world: World, options: ReferenceSlotOptions) {
    this.#world = world;
    this.#options = options;
  }

  catchUp(): void {
    const { slots, current } = this.#cut();
    const isBack = current < this.#current;
    this.#ledger.forget(({ replica, period }) => {
      if (!slots.includes(period)) return true;
      return isBack && !this.#options.keepsOwn && replica === this.#world.self;
    });
    this.#current = current;
  }

  count(origin: Origin, counts: Partial<Counts>): string {
    const { self } = this.#world;
    const identity = { ...origin, replica: self, opener: self, period: this.#cut().current };
    this.#ledger.add(identity, counts);
    return nameOf(identity);
  }

  refund(name: string, cost: number): number {
    return this.#ledger.refund(name, cost);
  }

  admits({ period }: ReferenceComponent): boolean {
    return this.#cut().slots.includes(period);
  }

  join(component: ReferenceComponent): boolean {
    return this.#ledger.join(component);
  }

  emit(): ReferenceComponent[] {
    return this.#ledger.all().filter(({ replica }) => replica === this.#world.self);
  }

  drop(dropped: string): void {
    this.#ledger.forget(({ replica }) => replica === dropped);
  }

  wipe(): void {
    this.#ledger.forget(() => true);
  }

  isOver(): boolean {
    return this.#ledger.all().length === 0;
  }

  isHeld(): boolean {
    return false;
  }

  view(): ReferenceView {
    const { slots, current, endsAt } = this.#cut();
    const hits = slots.map((slot) => this.#ledger.held(({ period }) => period === slot));
    return {
      held: this.#options.heldIn(hits, endsAt - this.#world.clusterNow),
      refusals: this.#ledger.refusals(({ period }) => period === current),
      endsAt,
    };
  }

  #cut(): Cut & { current: number } {
    const cut = this.#options.cutAt(this.#world.clusterNow);
    return { ...cut, current: cut.slots.at(-2) ?? Number.NaN };
  }
}

/** Windows of one length, shifted by a phase. */
export function evenCut(windowMs: number, phase: number): (clusterNow: number) => Cut {
  return (clusterNow) => {
    const slot = Math.floor((clusterNow + phase) / windowMs);
    return { slots: [slot, slot + 1], endsAt: (slot + 1) * windowMs - phase };
  };
}

/** Windows of a calendar without summer time, numbered by the minute they begin in. */
export function calendarCut(windowMs: number): (clusterNow: number) => Cut {
  return (clusterNow) => {
    const startsAt = Math.floor(clusterNow / windowMs) * windowMs;
    const endsAt = startsAt + windowMs;
    return { slots: [startsAt / 60_000, endsAt / 60_000], endsAt };
  };
}

/** The slots of a sliding window, including the one that is leaving it. */
export function slidingCut(slotMs: number, slotCount: number): (clusterNow: number) => Cut {
  return (clusterNow) => {
    const slot = Math.floor(clusterNow / slotMs);
    const slots = Array.from({ length: slotCount + 2 }, (_, index) => slot - slotCount + index);
    return { slots, endsAt: (slot + 1) * slotMs };
  };
}
