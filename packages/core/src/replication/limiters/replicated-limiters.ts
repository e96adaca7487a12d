/**
 * The limiters of this process that count in the cluster, and what closed ones have left.
 *
 * Others are told what a closed limiter counted, also those who missed it or come later, and a limiter
 * that is made again goes on with it: so its share stays as long as something in it counts. That is
 * bounded by time and by keys. Whatever is begun after one has gone is of a generation that it never
 * reached, because others remember its identities.
 */

import { TidegateError } from "../../base/errors.ts";
import { shown } from "../../base/options.ts";
import type { Former } from "../../store/replicas/ownership-transfer.ts";
import type { Replicas } from "../../store/replicas/replicas.ts";
import { Slicer, type Slices } from "../slicer.ts";
import type { ReplicatedLimiter, Retirement, Tally } from "./replicated-limiter.ts";

/** The most keys that closed limiters keep together, and the most of them: those closed last stay. */
const RETIRED_KEYS_MAX = 1_000_000;
const RETIRED_MAX = 256;

export class ReplicatedLimiters {
  readonly #replicatedLimiters = new Map<string, ReplicatedLimiter>();
  /** A generation that no limiter that has gone has reached. */
  #generation = 0;
  /** The latest frame in which something left of what limiters held that have gone. */
  #forgottenIn = 0;
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
    for (const replicated of this.open()) {
      if (name !== replicated.name) continue;
      throw new TidegateError(
        "TIDEGATE_OPTION_CONFLICT",
        `the cluster has a limiter named ${shown(name)} in this process already: use that one, or another name`,
      );
    }
  }

  /**
   * Takes in a share; false if it is one that a closed limiter has left.
   *
   * @param frame the number of the frame in which what is counted now will leave
   */
  add(replicated: ReplicatedLimiter, frame: number): boolean {
    const key = keyOf(replicated.identity.low, replicated.identity.high);
    if (this.#replicatedLimiters.get(key) === replicated) return false;
    this.#replicatedLimiters.set(key, replicated);
    replicated.store.frame = frame;
    replicated.store.generation = this.#generation;
    return true;
  }

  /** Leaves a share without its limiter. */
  retire(replicated: ReplicatedLimiter, retirement: Retirement): void {
    if (this.#isClosed) {
      this.#end(replicated);
      return;
    }
    const key = keyOf(replicated.identity.low, replicated.identity.high);
    // Those without a limiter are in the order in which they lost it.
    this.#replicatedLimiters.delete(key);
    this.#replicatedLimiters.set(key, replicated);
    replicated.retire(retirement);
  }

  find(low: number, high: number): ReplicatedLimiter | undefined {
    return this.#replicatedLimiters.get(keyOf(low, high));
  }

  all(): Iterable<ReplicatedLimiter> {
    return this.#replicatedLimiters.values();
  }

  /** Those that have a limiter. */
  open(): ReplicatedLimiter[] {
    return Array.from(this.#replicatedLimiters.values()).filter(
      ({ retirement }) => retirement === undefined,
    );
  }

  /** Whether some that was released after a frame of counts is not known any more. */
  hasForgotten(since: number): boolean {
    if (this.#forgottenIn > since) return true;
    return Array.from(this.#replicatedLimiters.values()).some(
      ({ store }) => store.forgottenIn > since,
    );
  }

  /** Hits that all limiters have let pass and refused. */
  totals(): Tally {
    const totals = { allowed: 0, refused: 0 };
    for (const { holder } of this.open()) {
      const { tally } = holder;
      totals.allowed += tally.allowed;
      totals.refused += tally.refused;
    }
    return totals;
  }

  /** How long anything that is counted lives at most. */
  get lifeMs(): number {
    let lifeMs = 0;
    for (const replicated of this.#replicatedLimiters.values())
      lifeMs = Math.max(lifeMs, replicated.lifeMs);
    return lifeMs;
  }

  /**
   * Takes back the numbers of replicas that nothing refers to any more.
   *
   * @param isTelling whether frames are being written: what they name may be in no record any more, so
   *   then no number is taken back
   */
  reclaim(replicas: Replicas, isMember: (id: string) => boolean, isTelling: () => boolean): void {
    this.#reclaiming.run(this.#reclaim(replicas, isMember, isTelling));
  }

  /**
   * Sees to it that keys are freed in which nothing counts any more, and that closed limiters go.
   *
   * @param told the last frame of counts that has left
   */
  keepHouse(now: number, told: number): void {
    let room = RETIRED_MAX;
    let keysEvictor = RETIRED_KEYS_MAX;
    for (const replicated of this.#retired().reverse()) {
      const { retirement, store } = replicated;
      const isTold = told >= retirement!.toldIn;
      const isOfUse = !store.handover.isEmpty && room > 0 && store.size <= keysEvictor;
      if (now >= retirement!.untilMs || (isTold && !isOfUse)) {
        this.#end(replicated);
      } else {
        room--;
        keysEvictor -= store.size;
      }
    }
    for (const { holder } of this.#replicatedLimiters.values()) holder.keepHouse();
  }

  /** Makes another's of all that was counted so far. */
  disown(former: Former): void {
    for (const { store } of this.#replicatedLimiters.values()) store.versions.disown(former);
  }

  /** Closes all of them. */
  close(): void {
    this.#isClosed = true;
    for (const { holder } of this.open()) holder.close();
    for (const replicated of this.#retired()) this.#end(replicated);
  }

  /** Those without a limiter, in the order in which they lost it. */
  #retired(): ReplicatedLimiter[] {
    return Array.from(this.#replicatedLimiters.values()).filter(
      ({ retirement }) => retirement !== undefined,
    );
  }

  #end(replicated: ReplicatedLimiter): void {
    const { store, places } = replicated;
    const isKnown = store.handover.isEmpty || !places.includes("none");
    this.#forgottenIn = Math.max(this.#forgottenIn, isKnown ? store.forgottenIn : store.frame);
    this.#replicatedLimiters.delete(keyOf(replicated.identity.low, replicated.identity.high));
    replicated.end();
    this.#generation = Math.max(this.#generation, replicated.store.generation);
  }

  *#reclaim(
    replicas: Replicas,
    isMember: (id: string) => boolean,
    isTelling: () => boolean,
  ): Slices {
    // One that is dropped meanwhile may be referred to by what has been looked at before.
    const spare = new Set(replicas.spare(isMember));
    const mark = (index: number): void => {
      spare.delete(index);
    };
    for (const { store } of this.#replicatedLimiters.values()) yield* store.refersTo(mark);
    for (const replicated of this.#replicatedLimiters.values()) replicated.refersTo(mark);
    if (!isTelling()) replicas.reclaim(spare);
  }
}

function keyOf(low: number, high: number): string {
  return `${low}:${high}`;
}
