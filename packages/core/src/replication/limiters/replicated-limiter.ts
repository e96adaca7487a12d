/**
 * What replication has to do with one limiter: its part of what the replicas share.
 *
 * It outlives its limiter. What was counted goes on counting for others, who may have missed it, so
 * what is to be told is kept as long as it counts; and a limiter that is made again goes on with it.
 */

import { createHash } from "node:crypto";
import type { Component } from "../../crdt/component.ts";
import { doInBackground, leaveUndone } from "../../runtime/background.ts";
import type { Pausing } from "../../store/delta/store-delta.ts";
import type { Store } from "../../store/store.ts";
import type { PlaceKind } from "../../wire/component-section.ts";
import type { Halves } from "../../wire/seal.ts";

/** Given up own components that wait for the next frame; more are lost, and counted as that. */
const GIVEN_UP_MAX = 65_536;

/** Hits that a limiter has let pass and refused. */
export interface Tally {
  allowed: number;
  refused: number;
}

/**
 * A limiter's identity: the same for all that count towards the same limit, whatever it is.
 *
 * @param name the limiter's name
 * @param shapes for each policy, all that must agree for counts to mean the same
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

/** The limiter that counts in a share. */
export interface Holder {
  /** The limit of each policy. */
  readonly limits: readonly number[];
  readonly tally: Readonly<Tally>;
  /** How long what is counted lives at most. */
  readonly lifeMs: number;
  /** Has keys freed that are over, also where only others count any. */
  readonly keepHouse: () => void;
  /** Frees no keys any more. */
  readonly leaveHouse: () => void;
  /** Closes the limiter when the cluster is left. */
  readonly close: () => void;
}

/** Until when the share of a closed limiter is kept at the least and at the most. */
export interface Retirement {
  /** The frame of counts in which leaves what had not been told. */
  readonly toldIn: number;
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
  readonly places: readonly PlaceKind[];
  /** How long what is counted lives at most. */
  lifeMs = 0;
  /** The limiter, or the last one. */
  holder: Holder = NO_LIMITER;
  /** Set while there is no limiter. */
  retirement: Retirement | undefined;
  /** Own components of records that were given up since the last frame. */
  #givenUp: Component[] = [];
  /** Gives back what a closed limiter held, as far as that has not been done. */
  #givingBack: Pausing | undefined;
  readonly #giveBack = (forMs: number): boolean => this.#giveBackFor(forMs);

  constructor({ name, nameTag, identity, store, kinds }: ReplicatedLimiterOptions) {
    this.name = name;
    this.nameTag = nameTag;
    this.identity = identity;
    this.store = store;
    this.kinds = kinds;
    this.places = store.shapes.map(({ places }) =>
      places === "window" || places === "none" ? places : "place",
    );
  }

  /** Is of a limiter from now on, which goes on with what the last one has left. */
  open(holder: Holder): void {
    leaveUndone(this.#giveBack);
    this.#giveBackFor(Number.POSITIVE_INFINITY);
    this.holder.leaveHouse();
    this.holder = holder;
    this.lifeMs = Math.max(this.lifeMs, holder.lifeMs);
    this.retirement = undefined;
  }

  /** Has no limiter any more: what it held is given back, in the background. */
  retire(retirement: Retirement): void {
    this.retirement = retirement;
    const { handover } = this.store;
    if (!handover.holds) return;
    this.#givingBack = handover.giveBack();
    doInBackground(this.#giveBack);
  }

  /** Forgets everything. */
  end(): void {
    leaveUndone(this.#giveBack);
    this.holder.leaveHouse();
    this.store.close();
  }

  /** Takes an own component that is about to be given up; false when there are too many already. */
  giveUp(component: Readonly<Component>): boolean {
    if (this.#givenUp.length >= GIVEN_UP_MAX) return false;
    this.#givenUp.push({ ...component });
    return true;
  }

  /** Names every replica that something refers to that was given up since the last frame. */
  refersTo(mark: (replica: number) => void): void {
    for (const { opener } of this.#givenUp) mark(opener);
  }

  /** What was given up since this was asked last. */
  takeGivenUp(): readonly Component[] {
    const taken = this.#givenUp;
    if (taken.length > 0) this.#givenUp = [];
    return taken;
  }

  /** Goes on for so many milliseconds; returns whether there is more to give back. */
  #giveBackFor(forMs: number): boolean {
    const endMs = performance.now() + forMs;
    while (this.#givingBack?.next().done === false) if (performance.now() >= endMs) return true;
    this.#givingBack = undefined;
    return false;
  }
}
