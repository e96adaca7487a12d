/**
 * Windows that open with a key's first hit and are shared by every replica that receives them.
 *
 * A window is identified by its opener and its opening time on the opener's clock. A hit is counted
 * in the newest live window, or opens one. The sum over the live windows counts. Windows that are
 * at most `spreadMs` older than the newest end together with it.
 */

import type { Origin, ReferenceBook, ReferenceView, World } from "./book.ts";
import { type Counts, type Identity, Ledger, nameOf, type ReferenceComponent } from "./ledger.ts";

export interface ReferenceWindowOptions {
  readonly windowMs: number;
  readonly spreadMs: number;
}

type Window = Pick<Identity, "opener" | "period">;

export class WindowBook implements ReferenceBook {
  readonly endsWithReset = true;
  readonly hasNoPeriods = false;
  readonly #world: World;
  readonly #windowMs: number;
  readonly #spreadMs: number;
  readonly #ledger = new Ledger();

  constructor(world: World, options: ReferenceWindowOptions) {
    this.#world = world;
    this.#windowMs = options.windowMs;
    this.#spreadMs = options.spreadMs;
  }

  catchUp(): void {
    const newest = this.#newest();
    this.#ledger.forget((window) => this.#endsAt(window, newest) <= this.#world.now);
  }

  count(origin: Origin, counts: Partial<Counts>): string {
    const { self, now } = this.#world;
    const { opener, period } = this.#newest() ?? { opener: self, period: now };
    const identity = { ...origin, replica: self, opener, period };
    this.#ledger.add(identity, counts);
    return nameOf(identity);
  }

  refund(name: string, cost: number): number {
    return this.#ledger.refund(name, cost);
  }

  admits({ opener, period }: ReferenceComponent): boolean {
    const start = this.#startOf({ opener, period });
    const { now } = this.#world;
    return now < start + this.#windowMs + this.#spreadMs && start <= now + this.#windowMs;
  }

  join(component: ReferenceComponent): boolean {
    if (this.#endsAt(component, this.#newest()) <= this.#world.now) return false;
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
    return this.#newest() === undefined;
  }

  isHeld(): boolean {
    return false;
  }

  view(): ReferenceView {
    const newest = this.#newest();
    return {
      held: this.#ledger.held(),
      refusals: this.#ledger.refusals(() => true),
      endsAt: newest === undefined ? 0 : this.#endsAt(newest, newest),
    };
  }

  /** When at most `target` hits count, without further hits. */
  fallsTo(target: number): number {
    const newest = this.#newest();
    const ends = this.#ledger.all().map((component) => this.#endsAt(component, newest));
    const falls = [this.#world.now, ...ends].filter(
      (at) => this.#ledger.held((held) => this.#endsAt(held, newest) > at) <= target,
    );
    return Math.min(...falls);
  }

  #newest(): Window | undefined {
    return this.#ledger
      .all()
      .filter((window) => this.#world.now < this.#startOf(window) + this.#windowMs)
      .sort((left, right) => this.#startOf(right) - this.#startOf(left) || byOpener(right, left))
      .at(0);
  }

  #startOf({ opener, period }: Window): number {
    return period + this.#world.replicas.offsetMs(opener);
  }

  #endsAt(window: Window, newest: Window | undefined): number {
    const start = this.#startOf(window);
    const latest = newest === undefined ? start : this.#startOf(newest);
    const isTogether = start < latest && start >= latest - this.#spreadMs;
    return (isTogether ? latest : start) + this.#windowMs;
  }
}

function byOpener(left: Window, right: Window): number {
  if (left.opener === right.opener) return 0;
  return left.opener < right.opener ? -1 : 1;
}
