/**
 * Bounds the number of records: frees expired ones and, when the table is full, evicts those of the
 * lowest rank.
 *
 * Ranks come before weights: a refused key outranks any key that is only counted. Otherwise a flood
 * of new keys would free refused ones. A record that holds permits is never evicted.
 *
 * A clock hand walks over the records and visits a bounded number of them per call, so no check
 * pays for the whole table. Own counts of an evicted record go to a sink first. Then the store's
 * generation rises, so the key's next components differ from the evicted ones. Released permits
 * disappear with their record. `forgottenIn` keeps the number of the last frame that carried them.
 * A replica that missed that frame needs all permits that are held.
 */

import type { Component } from "../crdt/component.ts";
import type { StoreDelta } from "./delta/store-delta.ts";
import type { RecordVersions } from "./record-versions.ts";
import { type Replicas, SELF } from "./replicas/replicas.ts";
import type { StoreState } from "./store-state.ts";
import { FRAME, FRAME_MASK, REFUSED, STATE } from "./table/entry.ts";
import type { KeyRecords } from "./table/key-records.ts";

/** Nothing in the record counts any more. */
const EXPIRED = 0;
/** Only other replicas have counted the key. */
const FOREIGN = 1;
/** This replica has counts of its own in the record. */
const COUNTED = 2;
/** The last check of the key was refused. */
const LIMITED = 3;
/** The record holds permits that will be released. */
const HELD = 4;

/** Records sampled to find one to evict. */
const EVICTION_SAMPLE = 48;
/** The most records sampled when nearly all keys are refused. */
const EVICTION_LOOKS_MAX = 4_096;
/** The part of the table that foreign keys may fill while own keys are evicted. */
const FOREIGN_PART = 1 / 4;

/** Evicted records and refused keys, by kind. */
export interface Evictions {
  /** Nothing in them counted any more. */
  expired: number;
  /** Only other replicas had counted the key. */
  foreign: number;
  /** Still counting: own counts, or counts of other replicas for a refused key. */
  live: number;
  /** Of those, refused keys. */
  refused: number;
  /** Own components that the sink could not publish. */
  lost: number;
  /** Own hits of keys for which there was no room. Keys of other replicas are rejections. */
  uncounted: number;
}

/** Publishes an own component before its record is evicted; returns false when it could not. */
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
    uncounted: 0,
  };

  readonly #entries: KeyRecords;
  readonly #versions: RecordVersions;
  readonly #delta: StoreDelta;
  readonly #storeState: StoreState;
  readonly #replicas: Replicas;
  readonly #evicted: EvictionSink | undefined;
  #keysMax: number;
  #hand = 1;

  constructor(
    entries: KeyRecords,
    versions: RecordVersions,
    delta: StoreDelta,
    storeState: StoreState,
    options: EvictorOptions,
  ) {
    this.#entries = entries;
    this.#versions = versions;
    this.#delta = delta;
    this.#storeState = storeState;
    this.#replicas = options.replicas;
    this.#keysMax = options.keysMax;
    this.#evicted = options.evicted;
  }

  get keysMax(): number {
    return this.#keysMax;
  }

  /** Continues with the existing records under another bound, and restarts the statistics. */
  continueWithin(keysMax: number): void {
    this.#keysMax = Math.max(this.#keysMax, keysMax);
    for (const kind of Object.keys(this.evictions) as (keyof Evictions)[]) this.evictions[kind] = 0;
  }

  /** Frees expired records; visits at most `budget` record slots. */
  sweep(budget: number): number {
    const { records } = this.#entries;
    let freed = 0;
    for (let looked = 0; looked < budget && records.size > 0; looked++) {
      const id = this.#next();
      if (id === 0 || this.#rankOf(id) !== EXPIRED) continue;
      this.#free(id);
      freed++;
    }
    return freed;
  }

  /** Makes room for one more key; returns false when there is none and no record can be evicted. */
  make(introducer: number): boolean {
    if (this.#entries.records.size < this.#keysMax) return true;
    const chosen = this.#isOverQuota(introducer) ? 0 : this.#choose();
    if (chosen !== 0 && this.evict(chosen)) return true;
    if (introducer === SELF) this.evictions.uncounted++;
    return false;
  }

  /** Evicts a record and publishes its own counts; returns false if it holds permits. */
  evict(id: number): boolean {
    const rank = this.#rankOf(id);
    if (rank === HELD) return false;
    const { evictions } = this;
    if (rank === EXPIRED) {
      evictions.expired++;
      this.#free(id);
      return true;
    }
    if (rank === LIMITED) evictions.refused++;
    if (rank === FOREIGN) evictions.foreign++;
    else evictions.live++;
    if (this.#entries.ownership.isOwn(id)) {
      this.#publish(id);
      this.#storeState.generation++;
    }
    this.#entries.end(id);
    return true;
  }

  /** Whether a replica has introduced as many keys as its quota allows in a full table. */
  #isOverQuota(introducer: number): boolean {
    if (introducer === SELF) return false;
    const quota = this.#keysMax / this.#replicas.aliveCount;
    return this.#entries.ownership.introducedBy(introducer) >= quota;
  }

  /** The lowest-ranked record of a sample; 0 when all of them hold permits. */
  #choose(): number {
    const { ownership, records } = this.#entries;
    // The more keys are refused, the larger the sample that contains one that is not.
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
      const kind = this.#rankOf(id);
      const rank = kind === FOREIGN && isForeignRare ? COUNTED : kind;
      if (rank > lowest || rank === HELD) continue;
      // At equal weight, a key that other replicas know goes before one that only this replica
      // knows.
      const weight = rank === EXPIRED ? 0 : this.#weightOf(id) - (kind === FOREIGN ? 0.5 : 0);
      if (rank === lowest && weight >= lightest) continue;
      chosen = id;
      lowest = rank;
      lightest = weight;
      if (rank === EXPIRED || (rank === FOREIGN && weight < 1)) break;
    }
    return chosen;
  }

  /** The rank of a record, which is brought up to date first. */
  #rankOf(id: number): number {
    this.#versions.renew(id);
    const { now, clusterNow } = this.#storeState;
    let expired = true;
    let own = false;
    for (const shape of this.#entries.shapes) {
      if (shape.isHeld?.(id)) return HELD;
      if (shape.isExpired(id, now, clusterNow)) continue;
      expired = false;
      own ||= shape.isOwn(id, now, clusterNow);
    }
    if (expired) return EXPIRED;
    if ((this.#entries.records.word(id, STATE) & REFUSED) !== 0) return LIMITED;
    return own ? COUNTED : FOREIGN;
  }

  /** Among records of one rank, the lighter one is evicted first. */
  #weightOf(id: number): number {
    let weight = 0;
    for (const shape of this.#entries.shapes) weight = Math.max(weight, shape.weight(id));
    return weight;
  }

  /**
   * Moves the hand by one and returns the record there; 0 when the slot is free. It never searches
   * for the next record: after a burst there may be a million free slots before it.
   */
  #next(): number {
    const { ownership, records } = this.#entries;
    this.#hand = this.#hand + 1 < records.end ? this.#hand + 1 : 1;
    return ownership.isLive(this.#hand) ? this.#hand : 0;
  }

  /**
   * Frees an expired record. A later record of the key must not continue permits or a log, which
   * have no period: so it needs a new generation.
   */
  #free(id: number): void {
    const { ownership, shapes } = this.#entries;
    if (
      ownership.isOwn(id) &&
      shapes.some(({ periodKind }) => periodKind === "none" || periodKind === "instant")
    ) {
      for (const [policy, { periodKind }] of shapes.entries()) {
        if (periodKind === "none") this.#publish(id, policy);
      }
      this.#storeState.generation++;
    }
    this.#entries.end(id);
  }

  /** Publishes the own components of a record to be freed, of one policy or of all. */
  #publish(id: number, only?: number): void {
    const { records, shapes } = this.#entries;
    const storeState = this.#storeState;
    const left = records.word(id, FRAME);
    const isSent = left >= 0;
    const frame = isSent
      ? storeState.frame - ((storeState.frame - left) & FRAME_MASK)
      : storeState.frame;
    this.#delta.emit(
      id,
      (component) => {
        const isHeld = shapes[component.policy]!.periodKind === "none";
        if (isHeld) storeState.forgottenIn = Math.max(storeState.forgottenIn, frame);
        // Released permits that were published need no second frame.
        if (isHeld && isSent && only !== undefined) return;
        if (this.#evicted?.(component) !== false) return;
        this.evictions.lost++;
        storeState.isHeldUntold ||= isHeld;
      },
      only,
    );
  }
}
