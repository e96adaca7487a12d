/**
 * What replication has to do with one limiter: its part of what the replicas share.
 */

import { createHash } from "node:crypto";
import type { Component } from "../lattice/component.ts";
import type { Store } from "../store/store.ts";
import type { PlaceKind } from "../wire/component-section.ts";
import type { Halves } from "../wire/seal.ts";

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
export function shareIdentity(name: string, shapes: readonly string[]): Halves {
  const digest = createHash("sha256")
    .update(JSON.stringify([name, ...shapes]))
    .digest();
  return { low: digest.readInt32LE(0), high: digest.readInt32LE(4) };
}

export interface ShareOptions {
  /** The limiter's name. */
  readonly name: string;
  /** What stands for the name in frames. */
  readonly nameTag: Halves;
  /** The limit of each policy. */
  readonly limits: readonly number[];
  readonly tally: Readonly<Tally>;
  readonly identity: Halves;
  readonly store: Store;
  /** How long what is counted lives at most. */
  readonly lifeMs: number;
  /** Has keys freed that are over, also where only others count any. */
  readonly keepHouse: () => void;
  /** Closes the limiter when the cluster is left. */
  readonly close: () => void;
}

export class Share {
  readonly name: string;
  readonly nameTag: Halves;
  readonly limits: readonly number[];
  readonly tally: Readonly<Tally>;
  readonly identity: Halves;
  readonly store: Store;
  readonly places: readonly PlaceKind[];
  readonly lifeMs: number;
  readonly keepHouse: () => void;
  readonly close: () => void;
  /** Own components of records that were given up since the last frame. */
  #givenUp: Component[] = [];

  constructor(options: ShareOptions) {
    const { name, nameTag, limits, tally, identity, store, lifeMs, keepHouse, close } = options;
    this.name = name;
    this.nameTag = nameTag;
    this.limits = limits;
    this.tally = tally;
    this.identity = identity;
    this.store = store;
    this.lifeMs = lifeMs;
    this.keepHouse = keepHouse;
    this.close = close;
    this.places = store.shapes.map(({ places }) =>
      places === "window" || places === "none" ? places : "place",
    );
  }

  /** Takes an own component that is about to be given up; false when there are too many already. */
  giveUp(component: Readonly<Component>): boolean {
    if (this.#givenUp.length >= GIVEN_UP_MAX) return false;
    this.#givenUp.push({ ...component });
    return true;
  }

  /** What was given up since this was asked last. */
  takeGivenUp(): readonly Component[] {
    const taken = this.#givenUp;
    if (taken.length > 0) this.#givenUp = [];
    return taken;
  }
}
