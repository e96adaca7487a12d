/**
 * The replicated limiters of this process, and what closed ones have left.
 *
 * The counts of a closed limiter are still published, also to replicas that missed them or join
 * later. A limiter that is created again continues with them. So its replicated part stays as long
 * as something in it counts, bounded by time and by keys. A part that is created after another was
 * dropped begins at a generation that the dropped one never reached: other replicas remember its
 * identities.
 */

import { TidegateError } from "../../base/errors.ts";
import { shown } from "../../base/options.ts";
import type { Slices } from "../../base/slices.ts";
import type { Former, Replicas } from "../../store/replicas/replicas.ts";
import { type Scheduler, Slicer } from "../scheduler.ts";
import type { ReplicatedLimiter, Retirement, Tally } from "./replicated-limiter.ts";

/** The most keys that closed limiters keep together, and the most of them: the last closed stay. */
const RETIRED_KEYS_MAX = 1_000_000;
const RETIRED_MAX = 256;

export class ReplicatedLimiters {
  readonly #replicatedLimiters = new Map<string, ReplicatedLimiter>();
  readonly #releasing: Slicer;
  /** A generation that no dropped limiter has reached. */
  #generation = 0;
  /** The latest frame with held permits of dropped limiters. */
  #forgottenIn = 0;
  #isClosed = false;

  constructor(scheduler: Scheduler) {
    this.#releasing = new Slicer(scheduler);
  }

  /**
   * Throws if a limiter cannot be added: a second one of its name, or after leaving the cluster.
   */
  admit(name: string): void {
    if (this.#isClosed) {
      throw new TidegateError(
        "TIDEGATE_OPTION_CONFLICT",
        `limiter ${shown(name)} is created too late: this process has left the cluster. Create it in a new cluster`,
      );
    }
    for (const replicated of this.open()) {
      if (name !== replicated.name) continue;
      throw new TidegateError(
        "TIDEGATE_OPTION_CONFLICT",
        `this process already has a limiter named ${shown(name)} in the cluster: use that one, or another name`,
      );
    }
  }

  /**
   * Adds a replicated limiter; false if it is the one that a closed limiter has left.
   *
   * @param frame the number of the frame in which a count made now will leave
   */
  add(replicated: ReplicatedLimiter, frame: number): boolean {
    const key = keyOf(replicated.identity.low, replicated.identity.high);
    if (this.#replicatedLimiters.get(key) === replicated) return false;
    this.#replicatedLimiters.set(key, replicated);
    replicated.store.frame = frame;
    replicated.store.generation = this.#generation;
    return true;
  }

  /** Keeps a replicated limiter whose limiter is closed. */
  retire(replicated: ReplicatedLimiter, retirement: Retirement): void {
    if (this.#isClosed) {
      this.#end(replicated);
      return;
    }
    const key = keyOf(replicated.identity.low, replicated.identity.high);
    // Moves it to the end: closed ones are in the order in which they were closed.
    this.#replicatedLimiters.delete(key);
    this.#replicatedLimiters.set(key, replicated);
    replicated.retire(retirement, this.#releasing);
  }

  find(low: number, high: number): ReplicatedLimiter | undefined {
    return this.#replicatedLimiters.get(keyOf(low, high));
  }

  all(): Iterable<ReplicatedLimiter> {
    return this.#replicatedLimiters.values();
  }

  /** Those whose limiter is open. */
  open(): ReplicatedLimiter[] {
    return Array.from(this.#replicatedLimiters.values()).filter(
      ({ retirement }) => retirement === undefined,
    );
  }

  /** Whether the store no longer knows all permits that were released after a frame of counts. */
  hasForgotten(since: number): boolean {
    if (this.#forgottenIn > since) return true;
    return Array.from(this.#replicatedLimiters.values()).some(
      ({ store }) => store.forgottenIn > since,
    );
  }

  /** Hits that all limiters have allowed and refused. */
  totals(): Tally {
    const totals = { allowed: 0, refused: 0 };
    for (const { holder } of this.open()) {
      const { tally } = holder;
      totals.allowed += tally.allowed;
      totals.refused += tally.refused;
    }
    return totals;
  }

  /** How long any count lives at most. */
  get lifeMs(): number {
    return Math.max(0, ...Array.from(this.#replicatedLimiters.values(), ({ lifeMs }) => lifeMs));
  }

  /**
   * Frees the indexes of replicas that nothing refers to any more.
   *
   * @param isPublishing whether frames are being written: they may name replicas that are in no
   *   record any more, so no index is freed then
   */
  *reclaim(
    replicas: Replicas,
    isMember: (id: string) => boolean,
    isPublishing: () => boolean,
  ): Slices {
    // A replica that becomes unused meanwhile may be referred to by records that were visited
    // before.
    const spare = new Set(replicas.spare(isMember));
    const mark = (index: number): void => {
      spare.delete(index);
    };
    for (const { store } of this.#replicatedLimiters.values()) yield* store.refersTo(mark);
    for (const replicated of this.#replicatedLimiters.values()) replicated.refersTo(mark);
    if (!isPublishing()) replicas.reclaim(spare);
  }

  /**
   * Frees keys in which nothing counts any more, and drops closed limiters.
   *
   * @param published the last frame of counts that has left
   */
  keepHouse(now: number, published: number): void {
    let limitersLeft = RETIRED_MAX;
    let keysLeft = RETIRED_KEYS_MAX;
    for (const replicated of this.#retired().reverse()) {
      const { retirement, store } = replicated;
      const isPublished = published >= retirement!.publishedIn;
      const isOfUse = store.hasOwn && limitersLeft > 0 && store.size <= keysLeft;
      if (now >= retirement!.untilMs || (isPublished && !isOfUse)) {
        this.#end(replicated);
      } else {
        limitersLeft--;
        keysLeft -= store.size;
      }
    }
    for (const { holder } of this.#replicatedLimiters.values()) holder.keepHouse();
  }

  /** Assigns all own counts so far to a former id of this replica. */
  disown(former: Former): void {
    for (const { store } of this.#replicatedLimiters.values()) store.versions.disown(former);
  }

  /** This replica leaves: none is added any more, and closed ones are dropped. */
  end(): void {
    this.#isClosed = true;
    for (const replicated of this.#retired()) this.#end(replicated);
  }

  /** Those whose limiter is closed, in the order in which they were closed. */
  #retired(): ReplicatedLimiter[] {
    return Array.from(this.#replicatedLimiters.values()).filter(
      ({ retirement }) => retirement !== undefined,
    );
  }

  #end(replicated: ReplicatedLimiter): void {
    const { store, periodEncodings } = replicated;
    const isKnown = !store.hasOwn || !periodEncodings.includes("none");
    this.#forgottenIn = Math.max(this.#forgottenIn, isKnown ? store.forgottenIn : store.frame);
    this.#replicatedLimiters.delete(keyOf(replicated.identity.low, replicated.identity.high));
    replicated.end();
    this.#generation = Math.max(this.#generation, replicated.store.generation);
  }
}

function keyOf(low: number, high: number): string {
  return `${low}:${high}`;
}
