/**
 * The limiters of this process that count in the cluster.
 */

import { TidegateError } from "../errors.ts";
import { shown } from "../options.ts";
import type { Former } from "../store/disowning.ts";
import type { Replicas } from "../store/replicas.ts";
import type { Share, Tally } from "./share.ts";
import { Slicer, type Slices } from "./slicer.ts";

/** Records that are looked at between two looks at the time. */
const RECORDS_PER_SLICE = 32;

export class Shares {
  readonly #shares = new Map<string, Share>();
  #isClosed = false;
  readonly #reclaiming = new Slicer(() => false);

  /** Throws for a limiter that could not count with the others: a second one of a name, or a late one. */
  admit(name: string): void {
    if (this.#isClosed) {
      throw new TidegateError(
        "TIDEGATE_OPTION_CONFLICT",
        `limiter ${shown(name)} comes too late: this process has left the cluster, so join one anew`,
      );
    }
    for (const share of this.#shares.values()) {
      if (name !== share.name) continue;
      throw new TidegateError(
        "TIDEGATE_OPTION_CONFLICT",
        `the cluster has a limiter named ${shown(name)} in this process already: use that one, or another name`,
      );
    }
  }

  add(share: Share): void {
    this.#shares.set(keyOf(share.identity.low, share.identity.high), share);
  }

  remove(share: Share): void {
    this.#shares.delete(keyOf(share.identity.low, share.identity.high));
  }

  find(low: number, high: number): Share | undefined {
    return this.#shares.get(keyOf(low, high));
  }

  all(): Iterable<Share> {
    return this.#shares.values();
  }

  /** Hits that all limiters have let pass and refused. */
  totals(): Tally {
    const totals = { allowed: 0, refused: 0 };
    for (const { tally } of this.#shares.values()) {
      totals.allowed += tally.allowed;
      totals.refused += tally.refused;
    }
    return totals;
  }

  /** How long anything that is counted lives at most. */
  get lifeMs(): number {
    let lifeMs = 0;
    for (const share of this.#shares.values()) lifeMs = Math.max(lifeMs, share.lifeMs);
    return lifeMs;
  }

  /** Takes back the numbers of replicas that nothing refers to any more. */
  reclaim(replicas: Replicas, isMember: (id: string) => boolean): void {
    this.#reclaiming.run(this.#reclaim(replicas, isMember));
  }

  /** Sees to it that keys are freed in which nothing counts any more. */
  keepHouse(): void {
    for (const { keepHouse } of this.#shares.values()) keepHouse();
  }

  /** Makes another's of all that was counted so far. */
  disown(former: Former): void {
    for (const { store } of this.#shares.values()) store.versions.disown(former);
  }

  /** Closes all of them. */
  close(): void {
    this.#isClosed = true;
    for (const share of Array.from(this.#shares.values())) share.close();
  }

  *#reclaim(replicas: Replicas, isMember: (id: string) => boolean): Slices {
    // One that is dropped meanwhile may be referred to by what has been looked at before.
    const spare = new Set(replicas.spare(isMember));
    const mark = (index: number): void => {
      spare.delete(index);
    };
    for (const { store } of this.#shares.values()) {
      for (let first = 1; first < store.records.end; first += RECORDS_PER_SLICE) {
        store.refersTo(mark, first, RECORDS_PER_SLICE);
        yield;
      }
    }
    replicas.reclaim(spare);
  }
}

function keyOf(low: number, high: number): string {
  return `${low}:${high}`;
}
