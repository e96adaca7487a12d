/** Permits held now: hits less releases of the live replicas. No reset ends them. */

import type { Origin, ReferenceBook, ReferenceView, World } from "./book.ts";
import { type Counts, Ledger, nameOf, type ReferenceComponent } from "./ledger.ts";

export class GaugeBook implements ReferenceBook {
  readonly endsWithReset = false;
  readonly hasNoPeriods = true;
  readonly #world: World;
  readonly #ledger = new Ledger();

  constructor(world: World) {
    this.#world = world;
  }

  catchUp(): void {}

  count(origin: Origin, counts: Partial<Counts>): string {
    this.#ledger.add(this.#identity(origin), counts);
    return nameOf(this.#identity(origin));
  }

  /** A refund never releases a permit. */
  refund(): number {
    return 0;
  }

  release(origin: Origin, cost: number): number {
    return this.#ledger.refund(nameOf(this.#identity(origin)), cost);
  }

  admits(): boolean {
    return true;
  }

  /**
   * A key with permits is not evicted: a new generation means that its replica has released the
   * earlier permits.
   */
  join(component: ReferenceComponent): boolean {
    const { replica, generation } = component;
    const isOfSame = (known: ReferenceComponent): boolean => known.replica === replica;
    if (this.#ledger.all().some((known) => isOfSame(known) && known.generation > generation)) {
      return false;
    }
    this.#ledger.forget((known) => isOfSame(known) && known.generation < generation);
    return this.#ledger.join(component);
  }

  emit(): ReferenceComponent[] {
    return this.#ledger.all().filter(({ replica }) => replica === this.#world.self);
  }

  drop(dropped: string): void {
    this.#ledger.forget(({ replica }) => replica === dropped);
  }

  wipe(): void {}

  /** A silent replica may return, and its permits count again then. */
  isOver(): boolean {
    return this.#ledger.all().every(({ hits, refunds }) => hits === refunds);
  }

  isHeld(): boolean {
    return this.#ledger.held(({ replica }) => replica === this.#world.self) > 0;
  }

  view(): ReferenceView {
    const { replicas } = this.#world;
    const held = this.#ledger.held(({ replica }) => replicas.isAlive(replica));
    return { held, refusals: 0, endsAt: 0 };
  }

  #identity({ key, policy, generation }: Origin) {
    const { self } = this.#world;
    return { key, policy, generation, reset: 0, replica: self, opener: self, period: 0 };
  }
}
