/**
 * Bounds the number of records: frees those in which nothing counts, and under pressure gives up
 * those that matter least.
 *
 * A hand goes round the records and looks at a bounded number of them, so no key pays for all. What
 * is this replica's own in a record that is given up is handed to a sink first, and the generation
 * moves on, so that the key's next components are told from those. What was held and released goes with
 * its record; from the last frame that it left in, it is known who must be told all that is held.
 */

import type { Component } from "../../crdt/component.ts";
import type { StoreDelta } from "../delta/store-delta.ts";
import { type Replicas, SELF } from "../replicas/replicas.ts";
import type { StoreState } from "../store-state.ts";
import { FRAME, FRAME_MASK } from "../table/entry.ts";
import type { KeyRecords } from "../table/key-records.ts";
import { COUNTED, type EvictionRanks, EXPIRED, FOREIGN, HELD, LIMITED } from "./eviction-rank.ts";

/** Records looked at for one to give up. */
const EVICTION_SAMPLE = 48;
/** The most records looked at when nearly all are refused keys. */
const EVICTION_LOOKS_MAX = 4_096;
/** The part of all records that may be of keys known only from others while own ones are given up. */
const FOREIGN_PART = 1 / 4;

/** Records given up for want of room, by what they were. */
export interface Evictions {
  /** Nothing in them counted any more. */
  expired: number;
  /** Known only from others. */
  foreign: number;
  /** Still counting: this replica's own, and others' that were being refused. */
  live: number;
  /** Of those, keys that were being refused. */
  refused: number;
  /** Own components that the sink did not take. */
  lost: number;
  /** Keys that found no room at all. */
  turnedAway: number;
}

/** Takes an own component that is about to be given up; false when it could not be passed on. */
export type EvictionSink = (component: Readonly<Component>) => boolean;

export interface EvictorOptions {
  readonly replicas: Replicas;
  readonly keysMax: number;
  readonly evicted?: EvictionSink;
}

export class Evictor {
  readonly evictions: Evictions = {
    expired: 0,
    foreign: 0,
    live: 0,
    refused: 0,
    lost: 0,
    turnedAway: 0,
  };

  readonly #entries: KeyRecords;
  readonly #ranks: EvictionRanks;
  readonly #delta: StoreDelta;
  readonly #storeState: StoreState;
  readonly #replicas: Replicas;
  readonly #evicted: EvictionSink | undefined;
  #keysMax: number;
  #hand = 1;

  constructor(
    entries: KeyRecords,
    ranks: EvictionRanks,
    delta: StoreDelta,
    storeState: StoreState,
    options: EvictorOptions,
  ) {
    this.#entries = entries;
    this.#ranks = ranks;
    this.#delta = delta;
    this.#storeState = storeState;
    this.#replicas = options.replicas;
    this.#keysMax = options.keysMax;
    this.#evicted = options.evicted;
  }

  get keysMax(): number {
    return this.#keysMax;
  }

  /** Goes on with the records that there are, and counts anew what is given up. */
  goOnWithin(keysMax: number): void {
    this.#keysMax = Math.max(this.#keysMax, keysMax);
    for (const kind of Object.keys(this.evictions) as (keyof Evictions)[]) this.evictions[kind] = 0;
  }

  /** Frees records in which nothing counts any more; looks at no more than `budget` places. */
  sweep(budget: number): number {
    const { records } = this.#entries;
    let freed = 0;
    for (let looked = 0; looked < budget && records.size > 0; looked++) {
      const id = this.#next();
      if (id === 0 || this.#ranks.of(id) !== EXPIRED) continue;
      this.#letGo(id);
      freed++;
    }
    return freed;
  }

  /** Whether there is room for one more key, or a record could be given up for it. */
  make(introducer: number): boolean {
    if (this.#entries.records.size < this.#keysMax) return true;
    const chosen = this.#isBeyondShare(introducer) ? 0 : this.#choose();
    if (chosen !== 0 && this.evict(chosen)) return true;
    this.evictions.turnedAway++;
    return false;
  }

  /** Gives up a record, handing over what is this replica's own; false if it is held. */
  evict(id: number): boolean {
    const rank = this.#ranks.of(id);
    if (rank === HELD) return false;
    const { evictions } = this;
    if (rank === EXPIRED) {
      evictions.expired++;
      this.#letGo(id);
      return true;
    }
    if (rank === LIMITED) evictions.refused++;
    if (rank === FOREIGN) evictions.foreign++;
    else evictions.live++;
    if (this.#entries.ownership.isOwn(id)) {
      this.#handOver(id);
      this.#storeState.generation++;
    }
    this.#entries.end(id);
    return true;
  }

  /** Whether a sender has introduced as many keys as each replica may when there is no room. */
  #isBeyondShare(introducer: number): boolean {
    if (introducer === SELF) return false;
    const share = this.#keysMax / this.#replicas.aliveCount;
    return this.#entries.ownership.introducedBy(introducer) >= share;
  }

  /** The record that matters least of those looked at; 0 when all are held. */
  #choose(): number {
    const { ownership, records } = this.#entries;
    // Among many refused keys it takes longer to meet one that is not.
    const others = Math.max(1, records.size - ownership.refusedKeys);
    const sample = EVICTION_SAMPLE * Math.ceil(records.size / others);
    const looks = Math.min(records.size, EVICTION_LOOKS_MAX, sample);
    const isForeignRare = ownership.foreignKeys <= this.#keysMax * FOREIGN_PART;
    let chosen = 0;
    let lowest = HELD;
    let lightest = Number.POSITIVE_INFINITY;
    for (let look = 0; look < looks; look++) {
      if (look >= EVICTION_SAMPLE && lowest < LIMITED) break;
      const id = this.#next();
      if (id === 0) continue;
      const kind = this.#ranks.of(id);
      const rank = kind === FOREIGN && isForeignRare ? COUNTED : kind;
      if (rank > lowest || rank === HELD) continue;
      // Of equal ones, what others know as well goes before what only this replica does.
      const weight = rank === EXPIRED ? 0 : this.#ranks.weight(id) - (kind === FOREIGN ? 0.5 : 0);
      if (rank === lowest && weight >= lightest) continue;
      chosen = id;
      lowest = rank;
      lightest = weight;
      if (rank === EXPIRED || (rank === FOREIGN && weight < 1)) break;
    }
    return chosen;
  }

  /**
   * Moves the hand on by one and returns the record there; 0 where none is in use. It never looks for
   * the next one: after a burst there may be a million free places before it.
   */
  #next(): number {
    const { ownership, records } = this.#entries;
    this.#hand = this.#hand + 1 < records.end ? this.#hand + 1 : 1;
    return ownership.isLive(this.#hand) ? this.#hand : 0;
  }

  /** Frees a record in which nothing counts. Its successor must not continue what has no place. */
  #letGo(id: number): void {
    const { ownership, shapes } = this.#entries;
    if (ownership.isOwn(id) && shapes.some((shape) => shape.placeless)) {
      for (const [policy, { places }] of shapes.entries()) {
        if (places === "none") this.#handOver(id, policy);
      }
      this.#storeState.generation++;
    }
    this.#entries.end(id);
  }

  /** Hands own components over that are gone with a record, of one policy or of all. */
  #handOver(id: number, only?: number): void {
    const { records, shapes } = this.#entries;
    const storeState = this.#storeState;
    const left = records.word(id, FRAME);
    const isTold = left >= 0;
    const frame = isTold
      ? storeState.frame - ((storeState.frame - left) & FRAME_MASK)
      : storeState.frame;
    this.#delta.emit(
      id,
      (component) => {
        const isHeld = shapes[component.policy]!.places === "none";
        if (isHeld) storeState.forgottenIn = Math.max(storeState.forgottenIn, frame);
        // What has been told and is over need not be told again.
        if (isHeld && isTold && only !== undefined) return;
        if (this.#evicted?.(component) !== false) return;
        this.evictions.lost++;
        storeState.isHeldUntold ||= isHeld;
      },
      only,
    );
  }
}
