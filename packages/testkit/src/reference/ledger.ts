/**
 * Components by identity, in a plain Map: the larger counts of one identity stay, different
 * identities add up. Every sum is computed anew at each call.
 */

/** What one replica has counted for one key, as the reference names it. */
export interface ReferenceComponent {
  readonly key: string;
  readonly policy: number;
  readonly replica: string;
  readonly generation: number;
  readonly reset: number;
  readonly opener: string;
  readonly period: number;
  /** P: hits counted. In a log: the running total by this time. */
  readonly hits: number;
  /** N: of those, refunded. */
  readonly refunds: number;
  /** R: hits refused. */
  readonly refusals: number;
}

/** The identity of a component: everything but its counts. */
export type Identity = Omit<ReferenceComponent, "hits" | "refunds" | "refusals">;

export type Counts = Pick<ReferenceComponent, "hits" | "refunds" | "refusals">;

/** The identity as a string: two reports are about one component iff their names are equal. */
export function nameOf(identity: Identity): string {
  const { replica, generation, reset, opener, period } = identity;
  return [replica, generation, reset, opener, period].join("/");
}

export class Ledger {
  readonly #components = new Map<string, ReferenceComponent>();

  all(): ReferenceComponent[] {
    return [...this.#components.values()];
  }

  find(name: string): ReferenceComponent | undefined {
    return this.#components.get(name);
  }

  /** Keeps the larger of each count; returns whether any is larger than it was. */
  join(heard: ReferenceComponent): boolean {
    const name = nameOf(heard);
    const known = this.#components.get(name) ?? { hits: 0, refunds: 0, refusals: 0 };
    this.#components.set(name, {
      ...heard,
      hits: Math.max(known.hits, heard.hits),
      refunds: Math.max(known.refunds, heard.refunds),
      refusals: Math.max(known.refusals, heard.refusals),
    });
    return (
      heard.hits > known.hits || heard.refunds > known.refunds || heard.refusals > known.refusals
    );
  }

  /** Adds counts to an own component, which begins at zero. */
  add(identity: Identity, more: Partial<Counts>): void {
    const known = this.#components.get(nameOf(identity)) ?? { hits: 0, refunds: 0, refusals: 0 };
    this.join({
      ...identity,
      hits: known.hits + (more.hits ?? 0),
      refunds: known.refunds + (more.refunds ?? 0),
      refusals: known.refusals + (more.refusals ?? 0),
    });
  }

  /** Refunds hits of one component, at most as many as it has; returns how many. */
  refund(name: string, cost: number): number {
    const known = this.#components.get(name);
    if (known === undefined) return 0;
    const given = Math.min(cost, known.hits - known.refunds);
    this.add(known, { refunds: given });
    return given;
  }

  forget(isGone: (component: ReferenceComponent) => boolean): void {
    for (const [name, component] of this.#components) {
      if (isGone(component)) this.#components.delete(name);
    }
  }

  /** Hits less refunds of the selected components. */
  held(isCounted: (component: ReferenceComponent) => boolean = () => true): number {
    return this.#sum(isCounted, ({ hits, refunds }) => hits - refunds);
  }

  refusals(isCounted: (component: ReferenceComponent) => boolean): number {
    return this.#sum(isCounted, ({ refusals }) => refusals);
  }

  #sum(
    isCounted: (component: ReferenceComponent) => boolean,
    amount: (component: ReferenceComponent) => number,
  ): number {
    return this.all()
      .filter(isCounted)
      .reduce((sum, component) => sum + amount(component), 0);
  }
}
