/**
 * Everything one limiter knows about its keys: the one place where requests and replication meet.
 *
 * A key is one record, found by its fingerprint and made of a section per policy; what others have
 * counted lies beside it and is summed up in it. Requests raise own components, replication joins
 * others' and reads what has changed since a frame. Time is an argument. The number of records is
 * bounded: under pressure those that matter least are given up, and what was this replica's own in
 * them is handed to a sink first.
 */

import type { Component } from "../crdt/component.ts";
import { Checkpoints } from "./delta/checkpoints.ts";
import { MergeGuard, type MergeGuardOptions } from "./delta/merge-guard.ts";
import { type Pausing, StoreDelta } from "./delta/store-delta.ts";
import { type Announcer, UnsentCounts } from "./delta/unsent-counts.ts";
import { EvictionRanks } from "./eviction/eviction-rank.ts";
import { type Evictions, Evictor, type EvictorOptions } from "./eviction/evictor.ts";
import { Handover, type StoreBounds } from "./eviction/handover.ts";
import { type Note, Notes } from "./marks/notes.ts";
import { RESET_AHEAD_MS_MAX, Resets } from "./marks/resets.ts";
import { OwnershipTransfer } from "./replicas/ownership-transfer.ts";
import { type Replicas, SELF } from "./replicas/replicas.ts";
import type { StoreState } from "./store-state.ts";
import type { CachedRecord } from "./table/cached-record.ts";
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
import { FIRST_OWN_STATE, RecordVersions } from "./table/record-versions.ts";
import { resetsTie, ticketTie } from "./table/ticket.ts";

/** Small steps back of the cluster's time are waited out; larger ones are believed. */
const CLUSTER_STEP_MS = 60_000;
/** Records looked at for expired ones whenever a key is added. */
const SWEEP_PER_INSERT = 2;
/** Records in which replicas are looked for between two pauses. */
const RECORDS_PER_PAUSE = 32;

export interface StoreOptions extends StoreBounds, EvictorOptions, MergeGuardOptions {
  /** 32 random bits of this process. */
  readonly seed: number;
  /** Whom to tell what is to be told to others; absent where nobody else counts. */
  readonly announcer?: Announcer | undefined;
}

export class Store implements StoreState {
  readonly shapes: readonly Shape[];
  readonly evictions: Evictions;
  readonly notes: Notes;
  /** What leaves for others. */
  readonly delta: StoreDelta;
  /** What is left of slots that are over. */
  readonly checkpoints: Checkpoints;
  /** What changes how records are read, all at once. */
  readonly versions: RecordVersions;
  /** What ends counts and voids marks. */
  readonly resets: Resets;
  /** What becomes of all this when the limiter is closed. */
  readonly handover: Handover;
  /** What has yet to leave; null where nobody is told. */
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
  readonly #mergeGuard: MergeGuard;
  readonly #reread = (): void => this.versions.next();

  constructor(sections: readonly Section[], options: StoreOptions) {
    this.#replicas = options.replicas;
    options.replicas.watch(this.#reread);
    this.notes = new Notes(options.keysMax, options.keepMs);
    const entries = new KeyRecords(sections, options.replicas, options.seed);
    this.shapes = entries.shapes;
    this.records = entries.records;
    this.index = entries.index;
    this.unsent = options.announcer ? new UnsentCounts(entries.records, options.announcer) : null;
    this.#entries = entries;
    const ownershipTransfer = new OwnershipTransfer(entries, options.replicas, this);
    this.versions = new RecordVersions(entries, this.notes, ownershipTransfer, this);
    this.resets = new Resets(entries, this.notes, this.versions, this, options.keepMs);
    if (this.unsent !== null) this.resets.aheadMsMax = RESET_AHEAD_MS_MAX;
    this.#mergeGuard = new MergeGuard(entries.shapes, this.resets, this, options);
    this.delta = new StoreDelta(entries, this.unsent, this.notes, this.versions, this.resets, this);
    this.checkpoints = new Checkpoints({
      ...{ entries, versions: this.versions, resets: this.resets, storeState: this },
      obtain: (low, high, replica) => this.#obtain(low, high, replica),
    });
    const ranks = new EvictionRanks(entries, this.versions, this);
    this.#evictor = new Evictor(entries, ranks, this.delta, this, options);
    this.evictions = this.#evictor.evictions;
    this.handover = new Handover({
      ...{ entries, versions: this.versions, notes: this.notes, resets: this.resets },
      ...{ evictor: this.#evictor, changed: (id) => this.#changed(id) },
    });
  }

  /** Places that a sweep has to look at to have seen all records. */
  get places(): number {
    return this.records.end - 1;
  }

  /** Keys with a record. */
  get size(): number {
    return this.records.size;
  }

  /** Keys that may have one. */
  get keysMax(): number {
    return this.#evictor.keysMax;
  }

  get limiterReset(): number {
    return this.versions.limiterReset;
  }

  /** Tells the store what time it is. Its own time never goes back; the cluster's may, in steps. */
  advance(now: number, clusterNow: number): void {
    if (now > this.now) this.now = now;
    const before = this.clusterNow;
    if (clusterNow > before) this.clusterNow = clusterNow;
    else if (clusterNow < before - CLUSTER_STEP_MS) {
      this.clusterNow = clusterNow;
      this.versions.stepBack(before);
    }
  }

  /** Takes the record of a key in hand, as it is; false if the key has none. */
  take(low: number, high: number): boolean {
    return this.index.find(low, high) !== 0;
  }

  /** The same for a key that remembers where its record was. */
  takeCached(key: CachedRecord): boolean {
    return this.index.findKnown(key) !== 0;
  }

  /** The record of a key, up to date with what is known of the replicas; 0 for none. */
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

  /** Says that this replica is counting something for a key, which is not being refused then. */
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

  /** Takes note of own hits that are yet to be sent, and of how near to its limit they bring the key. */
  counted(id: RecordId, hits: number, limit: number, used: number): void {
    this.unsent?.counted(this.records.word(numberOf(id), FRAME), hits, limit, used, this.now);
  }

  /** Remembers that the last check of a key was refused. */
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

  /** What is added to tickets of a key's components: the key, and how often it has been reset. */
  ticketTie(id: RecordId, low: number): number {
    const number = numberOf(id);
    const state = number === 0 ? 0 : this.records.word(number, STATE);
    return (ticketTie(low, state) + this.#resetsTie(number, low, state)) | 0;
  }

  // ── Resets and marks ─────────────────────────────────────────────────────────────────────────

  /** The largest reset known for a key. */
  knownReset(low: number, high: number): number {
    return this.resets.known(low, high);
  }

  /** The largest reset known for the marks of a key. */
  knownMarkReset(note: Readonly<Note>): number {
    return this.resets.knownForMarks(note);
  }

  /** Ends everything counted for a key so far, and voids its marks; returns the new reset. */
  reset(low: number, high: number): number {
    this.unsent?.urgent(this.now);
    return this.resets.begin(low, high);
  }

  /** Ends everything counted for every key so far; returns the new reset. */
  resetAll(): number {
    this.unsent?.urgent(this.now);
    return this.resets.beginAll();
  }

  /** Voids the marks of a key and nothing else. */
  unmark(low: number, high: number): void {
    this.unsent?.urgent(this.now);
    this.resets.unmark(low, high);
  }

  /** Marks a key until a time of the cluster's clock. */
  mark(low: number, high: number, kind: number, untilMs: number, limit: number): void {
    this.unsent?.urgent(this.now);
    this.resets.mark(low, high, kind, untilMs, limit);
  }

  // ── What replication carries ─────────────────────────────────────────────────────────────────

  /** Ends the current frame and returns its number; what changes from now on is in the next. */
  closeFrame(): number {
    this.isHeldUntold = false;
    this.unsent?.close(this.frame);
    return this.frame++;
  }

  /**
   * Merges what another replica has counted. Returns whether it said anything new; what is over,
   * from before a reset, from this replica itself or malformed never does.
   */
  join(component: Readonly<Component>): boolean {
    const mergeGuard = this.#mergeGuard;
    if (!mergeGuard.admits(component)) return false;
    const { low, high, replica } = component;
    const shape = this.shapes[component.policy]!;
    const id = this.#obtain(low, high, replica);
    if (id === 0) return mergeGuard.refuse("tooManyKeys");
    const grew = shape.join(id, component, this.now, this.clusterNow);
    if (grew === undefined) return mergeGuard.refuse("tooManyComponents");
    const isTold = this.records.word(id, FRAME) >= 0;
    if (grew && !isTold) this.unsent?.heard(id, shape.weight(id), this.now);
    return grew;
  }

  // ── Bounds ───────────────────────────────────────────────────────────────────────────────────

  /** Frees records in which nothing counts any more; looks at no more than `budget`. */
  sweep(budget: number): number {
    const freed = this.#evictor.sweep(budget);
    this.notes.sweep(this.now, this.clusterNow, budget);
    return freed;
  }

  /** Gives up a key's record, handing over what is this replica's own; false if it is held. */
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

  /** Forgets everything and no longer follows what is known of replicas. */
  close(): void {
    this.clear();
    this.#replicas.unwatch(this.#reread);
  }

  /** Names every replica that something refers to, in some records at a time. */
  *refersTo(mark: (replica: number) => void): Pausing {
    for (let first = 1; first < this.records.end; first += RECORDS_PER_PAUSE) {
      this.versions.refersTo(mark, first, RECORDS_PER_PAUSE);
      yield;
    }
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
    // A record that is begun again after a reset goes on in an epoch that its last one never reached.
    const resets = this.versions.limiterResets + (note?.resets ?? 0);
    const noted = ((resets * EPOCH_ONE) & EPOCH_MASK) | (note === undefined ? 0 : NOTED);
    return this.#entries.begin(low, high, (this.ownState & ~OWN) | noted, introducer);
  }
}
