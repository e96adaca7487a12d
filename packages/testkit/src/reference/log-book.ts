/**
 * A log: for each replica the points "by this time the total was that", while they are known.
 *
 * Hits whose own point is missing are counted at the next known point, as late as possible. A hit
 * expires exactly one window after its time.
 */

import type { Origin, ReferenceBook, ReferenceView, World } from "./book.ts";
import { type Counts, Ledger, nameOf, type ReferenceComponent } from "./ledger.ts";

export class LogBook implements ReferenceBook {
  readonly endsWithReset = true;
  readonly hasNoPeriods = true;
  readonly #world: World;
  readonly #windowMs: number;
  readonly #ledger = new Ledger();

  constructor(world: World, windowMs: number) {
    this.#world = world;
    this.#windowMs = windowMs;
  }

  catchUp(): void {}

  count(origin: Origin, { hits = 0 }: Partial<Counts>): string {
    const { self, now } = this.#world;
    const identity = { ...origin, replica: self, opener: self, period: now };
    const total = Math.max(0, ...this.#own().map((point) => point.hits)) + hits;
    const refunds = this.#ledger.find(nameOf(identity))?.refunds ?? 0;
    this.#ledger.join({ ...identity, hits: total, refunds, refusals: 0 });
    return nameOf(identity);
  }

  refund(name: string, cost: number): number {
    const point = this.#ledger.find(name);
    if (point === undefined || !this.#isInside(point)) return 0;
    const earlier = this.#own().filter(({ period }) => period < point.period);
    const before = Math.max(0, ...earlier.map(({ hits }) => hits));
    const given = Math.min(cost, point.hits - before - point.refunds);
    this.#ledger.add(point, { refunds: given });
    return given;
  }

  admits({ replica, period }: ReferenceComponent): boolean {
    const time = period + this.#world.replicas.offsetMs(replica);
    const { now } = this.#world;
    const marginMs = Math.floor(this.#windowMs / 2);
    return time >= now - 2 * this.#windowMs - marginMs && time <= now + this.#windowMs;
  }

  join(component: ReferenceComponent): boolean {
    return this.#ledger.join(component);
  }

  /**
   * The points inside the window, and the total when the window began. That base is emitted half a
   * window early, so that a receiver with a clock error takes it for the base and not for hits.
   */
  emit(origin: Origin): ReferenceComponent[] {
    const { self, now } = this.#world;
    const inside = this.#own().filter((point) => this.#isInside(point));
    if (inside.length === 0) return [];
    const period = now - this.#windowMs - Math.floor(this.#windowMs / 2);
    const hits = this.#base(this.#own());
    const start = { ...origin, replica: self, opener: self, period, hits, refunds: 0, refusals: 0 };
    return period < 0 ? inside : [start, ...inside];
  }

  drop(dropped: string): void {
    this.#ledger.forget(({ replica }) => replica === dropped);
  }

  wipe(): void {
    this.#ledger.forget(() => true);
  }

  isOver(): boolean {
    return !this.#ledger.all().some((point) => this.#isInside(point));
  }

  isHeld(): boolean {
    return false;
  }

  view(): ReferenceView {
    let held = 0;
    for (const points of this.#lists().values()) {
      const total = Math.max(...points.map(({ hits }) => hits));
      const inside = points.filter((point) => this.#isInside(point));
      const refunds = inside.reduce((sum, point) => sum + point.refunds, 0);
      held += total - this.#base(points) - refunds;
    }
    return { held, refusals: 0, endsAt: 0 };
  }

  /** The total when the window began. */
  #base(points: readonly ReferenceComponent[]): number {
    const left = points.filter((point) => !this.#isInside(point));
    return Math.max(0, ...left.map(({ hits }) => hits));
  }

  #isInside({ replica, period }: ReferenceComponent): boolean {
    const time = period + this.#world.replicas.offsetMs(replica);
    return time > this.#world.now - this.#windowMs;
  }

  #own(): ReferenceComponent[] {
    return this.#ledger.all().filter(({ replica }) => replica === this.#world.self);
  }

  /** The points of each running total: there is one per replica, generation and reset. */
  #lists(): Map<string, ReferenceComponent[]> {
    const lists = new Map<string, ReferenceComponent[]>();
    for (const point of this.#ledger.all()) {
      const name = [point.replica, point.generation, point.reset].join("/");
      lists.set(name, [...(lists.get(name) ?? []), point]);
    }
    return lists;
  }
}
