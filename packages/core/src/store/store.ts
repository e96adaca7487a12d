/**
 * All counts of one limiter. Requests and replication meet only here.
 *
 * A key is one record, found by its fingerprint and divided into a section per policy. The counts
 * of other replicas are beside the record, with their sum in it. Requests raise own components.
 * Replication merges the others' components and reads what changed since a frame. Time is an
 * argument. The number of records is bounded: a full store evicts the lowest-ranked records and
 * publishes their own counts first.
 */

import { type Slices, sliced } from "../base/slices.ts";
import type { Component } from "../crdt/component.ts";
import { Checkpoints } from "./delta/checkpoints.ts";
import { StoreDelta } from "./delta/store-delta.ts";
import { UnsentCounts } from "./delta/unsent-counts.ts";
import { type Evictions, Evictor, type EvictorOptions } from "./evictor.ts";
import { Notes } from "./marks/notes.ts";
import { RESET_AHEAD_MS_MAX, Resets } from "./marks/resets.ts";
import { FIRST_OWN_STATE, RecordVersions } from "./record-versions.ts";
import { NO_REPLICA, type Replicas, SELF } from "./replicas/replicas.ts";
import type { StoreState } from "./store-state.ts";
import {
  EPOCH_MASK,
  EPOCH_ONE,
  FRAME,
  FRAME_MASK,
  NOTED,
  OWN,
  REFUSED,
  type Shape,
  STATE,
  VERSION_SHIFT,
} from "./table/entry.ts";
import { FINGERPRINT_HIGH, type KeyIndex } from "./table/key-index.ts";
import { KeyRecords, type Section } from "./table/key-records.ts";
import { NO_RECORD, numberOf, type RecordId, recordId } from "./table/record-id.ts";
import type { RecordPool } from "./table/record-pool.ts";
import { resetsTie, ticketTie } from "./table/ticket.ts";

/** Smaller steps back of the cluster's time are waited out; larger ones are followed. */
const CLUSTER_STEP_MS = 60_000;
/** Records checked for expiry whenever a key is added. */
const SWEEP_PER_INSERT = 2;

/** Why a component was not merged, although it may have been new. */
export type JoinFault =
  /** Its window or slot has ended. */
  | "over"
  /** Its window or slot begins later than any clock error explains. */
  | "ahead"
  /** It was counted before a reset that this replica knows. */
  | "beforeReset"
  /**
   * No correct replica sends it: it has more refunds than hits, or belongs to no policy of the
   * limiter.
   */
  | "impossible"
  /**
   * Its replica, or the opener of its window, has no index: all indexes are in use, or it was
   * dropped.
   */
  | "tooManyReplicas"
  /** The key has more components than any lawful history makes. */
  | "tooManyComponents"
  /** There is no room for another key, or the sender has introduced more keys than its quota. */
  | "tooManyKeys";

/** How many keys a store keeps, and for how long. */
export interface StoreBounds {
  readonly keysMax: number;
  /** The longest time between sending a component and its arrival. */
  readonly keepMs: number;
}

/** Receives how urgent it is to publish. */
export interface Announcer {
  /** A record has its first unsent counts. */
  began(now: number): void;
  /** A key has unsent hits, and this much of its smallest limit is used. */
  counted(now: number, unsent: number, ceiling: number, used: number): void;
  /** Something must be published at once. */
  urgent(now: number): void;
}

export interface StoreOptions extends StoreBounds, EvictorOptions {
  /** 32 random bits of this process. */
  readonly seed: number;
  /** Receives what has to be published; absent in a limiter that is not replicated. */
  readonly announcer?: Announcer | undefined;
  /** Receives the reason for each component that was not merged. */
  readonly dropped?: ((why: JoinFault) => void) | undefined;
}

export class Store implements StoreState {
  readonly shapes: readonly Shape[];
  readonly evictions: Evictions;
  readonly notes: Notes;
  /** Reads what this store publishes. */
  readonly delta: StoreDelta;
  /** The levels of folded slots. */
  readonly checkpoints: Checkpoints;
  /** Changes that affect how all records are read. */
  readonly versions: RecordVersions;
  /** Ends counts and voids marks. */
  readonly resets: Resets;
  /** Records with unsent counts; null in a limiter that is not replicated. */
  readonly unsent: UnsentCounts | null;
  frame = 1;
  generation = 0;
  forgottenIn = 0;
  isHeldUntold = false;
  now = 0;
  clusterNow = 0;
  ownState: number = FIRST_OWN_STATE;
  resetsTie = 0;
  readonly records: RecordPool;
  readonly index: KeyIndex;
  readonly #replicas: Replicas;
  readonly #entries: KeyRecords;
  readonly #evictor: Evictor;
  readonly #dropped: StoreOptions["dropped"];
  readonly #reread = (): void => this.versions.next();

  constructor(sections: readonly Section[], options: StoreOptions) {
    this.#replicas = options.replicas;
    this.#dropped = options.dropped;
    options.replicas.watch(this.#reread);
    this.notes = new Notes(options.keysMax, options.keepMs);
    const entries = new KeyRecords(sections, options.replicas, options.seed);
    this.shapes = entries.shapes;
    this.records = entries.records;
    this.index = entries.index;
    this.unsent = options.announcer ? new UnsentCounts(entries.records, options.announcer) : null;
    this.#entries = entries;
    this.versions = new RecordVersions(entries, this.notes, options.replicas, this);
    this.resets = new Resets(entries, this.notes, this.versions, this, options.keepMs);
    if (this.unsent !== null) this.resets.aheadMsMax = RESET_AHEAD_MS_MAX;
    this.delta = new StoreDelta(entries, this.unsent, this.versions, this.resets, this);
    this.checkpoints = new Checkpoints({
      ...{ entries, versions: this.versions, resets: this.resets, storeState: this },
      obtain: (low, high, replica) => this.#obtain(low, high, replica),
    });
    this.#evictor = new Evictor(entries, this.versions, this.delta, this, options);
    this.evictions = this.#evictor.evictions;
  }

  /** Record slots that a sweep has to visit to see all records. */
  get recordSlots(): number {
    return this.records.end - 1;
  }

  /** Keys with a record. */
  get size(): number {
    return this.records.size;
  }

  /** The most keys with a record. */
  get keysMax(): number {
    return this.#evictor.keysMax;
  }

  /** Sets the time. The store's own time never goes back; the cluster's time may, in steps. */
  advance(now: number, clusterNow: number): void {
    if (now > this.now) this.now = now;
    const before = this.clusterNow;
    if (clusterNow > before) this.clusterNow = clusterNow;
    else if (clusterNow < before - CLUSTER_STEP_MS) {
      this.clusterNow = clusterNow;
      this.versions.stepBack(before);
    }
  }

  /** Selects the record of a key without bringing it up to date; false if the key has none. */
  select(low: number, high: number): boolean {
    return this.index.find(low, high) !== 0;
  }

  /** The record of a key, brought up to date with the known replicas; 0 for none. */
  find(low: number, high: number): RecordId {
    return recordId(this.#find(low, high));
  }

  #find(low: number, high: number): number {
    const id = this.index.find(low, high);
    if (id === 0) return 0;
    const records = this.records;
    const state = records.chunk[records.start + STATE]!;
    if ((state ^ this.ownState) >>> VERSION_SHIFT !== 0) this.versions.renew(id);
    return id;
  }

  /** A record for a key that has none; 0 when there is no room for it. */
  insert(low: number, high: number): RecordId {
    return recordId(this.#insert(low, high, SELF));
  }

  /** Notes that this replica is counting for a key, which is then not being refused. */
  changed(id: RecordId): void {
    this.#changed(numberOf(id));
  }

  #changed(id: number): void {
    const records = this.records;
    records.take(id);
    const { chunk, start } = records;
    const { unsent } = this;
    if (unsent === null) chunk[start + FRAME] = this.frame & FRAME_MASK;
    else if (!unsent.has(id, chunk[start + FRAME]!)) {
      chunk[start + FRAME] = unsent.begin(id, this.now);
    }
    const flags = chunk[start + STATE]! & (OWN | REFUSED);
    if (flags === OWN) return;
    const { ownership } = this.#entries;
    if ((flags & OWN) === 0) ownership.own(id, this.generation);
    if ((flags & REFUSED) !== 0) ownership.flipRefused(id);
  }

  /** Notes unsent hits of a key, and how much of its limit is used. */
  counted(id: RecordId, hits: number, limit: number, used: number): void {
    this.unsent?.counted(this.records.word(numberOf(id), FRAME), hits, limit, used, this.now);
  }

  /** Notes that the last check of a key was refused. */
  setRefused(id: RecordId): void {
    this.#setRefused(numberOf(id));
  }

  #setRefused(id: number): void {
    if ((this.records.word(id, STATE) & REFUSED) === 0) this.#entries.ownership.flipRefused(id);
  }

  /** Whether resets or marks may be known for a key. */
  isNoted(id: RecordId): boolean {
    if (this.notes.size === 0) return false;
    return id === NO_RECORD || (this.records.word(numberOf(id), STATE) & NOTED) !== 0;
  }

  /** What is added to tickets of a key's components: the key, and its number of resets. */
  ticketTie(id: RecordId, low: number): number {
    const number = numberOf(id);
    const state = number === 0 ? 0 : this.records.word(number, STATE);
    return (ticketTie(low, state) + this.#resetsTie(number, low, state)) | 0;
  }

  // ── Resets and marks ─────────────────────────────────────────────────────────────────────────

  /** Ends all counts of a key and voids its marks; returns the new reset. */
  reset(low: number, high: number): number {
    this.unsent?.urgent(this.now);
    return this.resets.begin(low, high);
  }

  /** Ends all counts of all keys; returns the new reset. */
  resetAll(): number {
    this.unsent?.urgent(this.now);
    return this.resets.beginAll();
  }

  /** Voids the marks of a key and leaves its counts. */
  unmark(low: number, high: number): void {
    this.unsent?.urgent(this.now);
    this.resets.unmark(low, high);
  }

  /** Marks a key until an instant of the cluster's time. */
  mark(low: number, high: number, kind: number, untilMs: number, limit: number): void {
    this.unsent?.urgent(this.now);
    this.resets.mark(low, high, kind, untilMs, limit);
  }

  // ── Replication ──────────────────────────────────────────────────────────────────────────────

  /** Closes the current frame and returns its number; later changes belong to the next frame. */
  closeFrame(): number {
    this.isHeldUntold = false;
    this.unsent?.close(this.frame);
    return this.frame++;
  }

  /**
   * Merges a component of another replica, and the reset that it carries. Returns whether it was
   * new.
   */
  join(component: Readonly<Component>): boolean {
    const fault = this.#faultOf(component);
    if (fault !== undefined) return this.#refuse(fault);
    const { low, high, replica } = component;
    const shape = this.shapes[component.policy]!;
    const id = this.#obtain(low, high, replica);
    if (id === 0) return this.#refuse("tooManyKeys");
    const grew = shape.join(id, component, this.now, this.clusterNow);
    if (grew === undefined) return this.#refuse("tooManyComponents");
    const isSent = this.records.word(id, FRAME) >= 0;
    if (grew && !isSent) this.unsent?.merged(id, shape.weight(id), this.now);
    return grew;
  }

  /** Why a component may not be merged. */
  #faultOf(component: Readonly<Component>): JoinFault | undefined {
    const { low, high, replica, opener, reset } = component;
    const shape = this.shapes[component.policy];
    if (shape === undefined || replica === SELF) return "impossible";
    if (component.refunds > component.hits) return "impossible";
    // Replica indexes are limited; a replica without one cannot be told apart from others.
    if (replica >= NO_REPLICA || opener >= NO_REPLICA) return "tooManyReplicas";
    if (this.#replicas.isDropped(replica)) return "tooManyReplicas";
    const timing = shape.timing(component, this.now, this.clusterNow);
    if (timing !== "live") return timing;
    if (shape.endsWithReset && !this.resets.admit(low, high, reset)) return "beforeReset";
    return undefined;
  }

  #refuse(why: JoinFault): false {
    this.#dropped?.(why);
    return false;
  }

  /** Marks every referenced replica index, in slices. */
  *refersTo(mark: (replica: number) => void): Slices {
    this.versions.refersTo(mark);
    yield* sliced(
      1,
      () => this.records.end,
      (id) => this.#entries.refersTo(id, mark),
    );
  }

  // ── After its limiter is closed, while other replicas still count its keys ───────────────────

  /** Whether any key is this replica's own, or any reset or mark is known. */
  get hasOwn(): boolean {
    return this.records.size !== this.#entries.ownership.foreignKeys || this.notes.size !== 0;
  }

  /** Releases all permits of this replica, in slices: no later call can release them. */
  *releasePermits(): Slices {
    const { ownership, shapes } = this.#entries;
    const gauges = shapes.filter(({ periodKind }) => periodKind === "none");
    if (gauges.length === 0) return;
    yield* sliced(
      1,
      () => this.records.end,
      (id) => {
        if (!this.versions.renewIfLive(id) || !ownership.isOwn(id)) return;
        let released = 0;
        for (const shape of gauges) {
          released += shape.releasePermits?.(id, Number.POSITIVE_INFINITY) ?? 0;
        }
        if (released > 0) this.#changed(id);
      },
    );
  }

  /**
   * Continues for a limiter that is created again under the same name: with the existing records,
   * within the wider of the two bounds, and with new statistics.
   */
  continueWithin({ keysMax, keepMs }: StoreBounds): void {
    this.#evictor.continueWithin(keysMax);
    this.notes.continueWithin(keysMax, keepMs);
    this.resets.keepMs = Math.max(this.resets.keepMs, keepMs);
  }

  // ── Bounds ───────────────────────────────────────────────────────────────────────────────────

  /** Frees expired records; visits at most `budget`. */
  sweep(budget: number): number {
    const freed = this.#evictor.sweep(budget);
    this.notes.sweep(this.now, this.clusterNow, budget);
    return freed;
  }

  /** Evicts a key's record and publishes its own counts; returns false if it holds permits. */
  evict(id: RecordId): boolean {
    return this.#evictor.evict(numberOf(id));
  }

  /** Forgets every key, reset and mark. */
  clear(): void {
    this.#entries.clear();
    this.unsent?.clear();
    this.notes.clear();
    this.generation++;
  }

  /** Forgets everything and stops following the replicas. */
  close(): void {
    this.clear();
    this.#replicas.unwatch(this.#reread);
  }

  #resetsTie(id: number, low: number, state: number): number {
    if ((state & NOTED) === 0) return this.resetsTie;
    const note = this.notes.find(low, this.records.word(id, FINGERPRINT_HIGH));
    return resetsTie(this.versions.limiterResets + (note?.resets ?? 0));
  }

  #obtain(low: number, high: number, introducer: number): number {
    return this.#find(low, high) || this.#insert(low, high, introducer);
  }

  #insert(low: number, high: number, introducer: number): number {
    this.sweep(SWEEP_PER_INSERT);
    if (!this.#evictor.make(introducer)) return 0;
    const note = this.notes.find(low, high);
    // A record made again after a reset starts in an epoch that its predecessor never reached.
    const resets = this.versions.limiterResets + (note?.resets ?? 0);
    const noted = ((resets * EPOCH_ONE) & EPOCH_MASK) | (note === undefined ? 0 : NOTED);
    return this.#entries.begin(low, high, (this.ownState & ~OWN) | noted, introducer);
  }
}
