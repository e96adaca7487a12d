/**
 * A limiter as replication sees it: its store, its identity in frames, and what to do when it
 * closes.
 *
 * It outlives its limiter. The counts of a closed limiter still count in other replicas, some of
 * which may have missed them. So they stay here as long as they count, and a limiter that is
 * created again continues with them.
 */

import { createHash } from "node:crypto";
import type { Slices } from "../../base/slices.ts";
import type { Component } from "../../crdt/component.ts";
import type { Store } from "../../store/store.ts";
import type { PeriodEncoding } from "../../wire/component-section.ts";
import type { Halves } from "../../wire/frame.ts";
import type { Slicer } from "../scheduler.ts";

/**
 * How many own counts of evicted records wait for the next frame; more are lost, and counted as
 * lost.
 */
const EVICTED_MAX = 65_536;

/** Hits that a limiter has allowed and refused. */
export interface Tally {
  allowed: number;
  refused: number;
}

/**
 * A limiter's identity: the same for all limiters that count towards the same limit, whatever its
 * value.
 *
 * @param name the limiter's name
 * @param shapes for each policy, everything that must agree for counts to mean the same
 */
export function limiterIdentity(name: string, shapes: readonly string[]): Halves {
  const digest = createHash("sha256")
    .update(JSON.stringify([name, ...shapes]))
    .digest();
  return { low: digest.readInt32LE(0), high: digest.readInt32LE(4) };
}

export interface ReplicatedLimiterOptions {
  /** The limiter's name. */
  readonly name: string;
  /** What stands for the name in frames. */
  readonly nameTag: Halves;
  readonly identity: Halves;
  readonly store: Store;
  /** What each policy is, in words, without its limit. */
  readonly kinds: readonly string[];
}

/** The limiter that uses this replicated limiter. */
export interface Holder {
  /** The limit of each policy. */
  readonly limits: readonly number[];
  readonly tally: Readonly<Tally>;
  /** How long a count lives at most. */
  readonly lifeMs: number;
  /** Frees keys whose counts are over, also where only other replicas counted. */
  readonly keepHouse: () => void;
  /** Stops freeing keys. */
  readonly leaveHouse: () => void;
  /** Closes the limiter when the cluster is left. */
  readonly close: () => void;
}

/** Until when the replicated part of a closed limiter is kept, at least and at most. */
export interface Retirement {
  /** The frame of counts in which its unsent counts leave. */
  readonly publishedIn: number;
  readonly untilMs: number;
}

const NO_LIMITER: Holder = {
  limits: [],
  tally: { allowed: 0, refused: 0 },
  lifeMs: 0,
  keepHouse: () => {},
  leaveHouse: () => {},
  close: () => {},
};

export class ReplicatedLimiter {
  readonly name: string;
  readonly nameTag: Halves;
  readonly identity: Halves;
  readonly store: Store;
  readonly kinds: readonly string[];
  readonly periodEncodings: readonly PeriodEncoding[];
  /** How long a count lives at most. */
  lifeMs = 0;
  /** The limiter, or the last one. */
  holder: Holder = NO_LIMITER;
  /** Set while no limiter uses it. */
  retirement: Retirement | undefined;
  /** Own counts of records that were evicted since the last frame. */
  #evicted: Component[] = [];
  /** Releases the permits that a closed limiter held. */
  #releasing: Slicer | undefined;
  #isOver = false;

  constructor({ name, nameTag, identity, store, kinds }: ReplicatedLimiterOptions) {
    this.name = name;
    this.nameTag = nameTag;
    this.identity = identity;
    this.store = store;
    this.kinds = kinds;
    this.periodEncodings = store.shapes.map(({ periodKind }) =>
      periodKind === "window" || periodKind === "none" ? periodKind : "period",
    );
  }

  /** A limiter uses it from now on, and continues with the counts of the last one. */
  open(holder: Holder): void {
    this.#releasing?.finish();
    this.holder.leaveHouse();
    this.holder = holder;
    this.lifeMs = Math.max(this.lifeMs, holder.lifeMs);
    this.retirement = undefined;
  }

  /**
   * The limiter is closed: the permits that it held are released, a slice at a time.
   *
   * @param releasing releases the permits of all closed limiters
   */
  retire(retirement: Retirement, releasing: Slicer): void {
    this.retirement = retirement;
    if (!this.periodEncodings.includes("none")) return;
    this.#releasing = releasing;
    releasing.run(this.#releasePermits());
  }

  *#releasePermits(): Slices {
    for (const slice of this.store.releasePermits()) {
      if (this.#isOver) return;
      yield slice;
    }
  }

  /** Drops everything. */
  end(): void {
    this.#isOver = true;
    this.holder.leaveHouse();
    this.store.close();
  }

  /** Keeps an own count that is about to be evicted; false when there are too many already. */
  keepEvicted(component: Readonly<Component>): boolean {
    if (this.#evicted.length >= EVICTED_MAX) return false;
    this.#evicted.push({ ...component });
    return true;
  }

  /** Marks every replica that a count evicted since the last frame refers to. */
  refersTo(mark: (replica: number) => void): void {
    for (const { opener } of this.#evicted) mark(opener);
  }

  /** The counts evicted since the last call. */
  takeEvicted(): readonly Component[] {
    const taken = this.#evicted;
    if (taken.length > 0) this.#evicted = [];
    return taken;
  }
}
