/**
 * Everything one limiter knows about its keys: the one place where requests and replication meet.
 *
 * A key is one record, found by its fingerprint and made of a section per policy; what others have
 * counted lies beside it and is summed up in it. Requests raise own components, replication joins
 * others' and reads what has changed since a frame. Time is an argument. The number of records is
 * bounded: under pressure those that matter least are given up, and what was this replica's own in
 * them is handed to a sink first.
 */

import { blankComponent, type Component } from "../lattice/component.ts";
import type { Mark } from "../lattice/mark.ts";
import {
  FRAME,
  GENERATION,
  HEADER_WORDS,
  LIVE,
  NOTED,
  OWN,
  REFUSED,
  type Shape,
  STATE,
  VERSION_MAX,
  VERSION_SHIFT,
} from "./entry.ts";
import { FINGERPRINT_HIGH, FINGERPRINT_LOW, KeyIndex } from "./key-index.ts";
import { type Note, Notes } from "./notes.ts";
import { RecordPool } from "./record-pool.ts";
import { NOBODY, type Replicas, SELF } from "./replicas.ts";
import { ticketOf } from "./ticket.ts";

/** Small steps back of the cluster's time are waited out; larger ones are believed. */
const CLUSTER_STEP_MS = 60_000;
/** Records looked at for one to give up. */
const EVICTION_SAMPLE = 48;
/** The most records looked at when nearly all are refused keys. */
const EVICTION_LOOKS_MAX = 4_096;
/** Records looked at for expired ones whenever a key is added. */
const SWEEP_PER_INSERT = 2;
/** The part of all records that may be of keys known only from others while own ones are given up. */
const FOREIGN_PART = 1 / 4;
/** Resets of all keys that records may be behind by. */
const RESETS_MAX = 64;
const TWO_32 = 2 ** 32;
const FLAGS_MASK: number = (1 << VERSION_SHIFT) - 1;

/** How little a record matters; the lowest goes first. */
const EXPIRED = 0;
const FOREIGN = 1;
const COUNTED = 2;
const LIMITED = 3;
const HELD = 4;

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

/** What a store shows of itself to those who carry it to others. */
export interface ChangeVisitor {
  /** An own component; the object is reused. */
  component(component: Readonly<Component>): void;
  /** Resets and marks of a key. */
  note(note: Readonly<Note>): void;
}

export interface StoreOptions {
  readonly replicas: Replicas;
  readonly keysMax: number;
  /** How long after it was sent a component can still arrive. */
  readonly keepMs: number;
  /** 32 random bits of this process. */
  readonly seed: number;
  readonly evicted?: EvictionSink;
}

/** Makes the shape of one policy, whose words begin at `base` of every record. */
export interface Section {
  readonly words: number;
  create(records: RecordPool, replicas: Replicas, base: number): Shape;
}

export class Store {
  readonly shapes: readonly Shape[];
  readonly evictions: Evictions = {
    expired: 0,
    foreign: 0,
    live: 0,
    refused: 0,
    lost: 0,
    turnedAway: 0,
  };
  readonly notes: Notes;

  /** The number of the frame in which what changes now will leave. */
  frame = 1;
  /** How many live records with something of this replica's own have been given up. */
  generation = 0;
  /** This replica's time and the cluster's, as of the last `advance`. */
  now = 0;
  clusterNow = 0;
  /** What tickets of all keys without a reset of their own are tied to: the reset of all keys. */
  tie = 0;

  /** The state of records that are up to date, of keys of which only own hits are known. */
  ownState: number = LIVE | OWN | (1 << VERSION_SHIFT);
  readonly records: RecordPool;
  readonly index: KeyIndex;

  readonly #replicas: Replicas;
  readonly #keysMax: number;
  readonly #evicted: EvictionSink | undefined;
  readonly #component = blankComponent();
  /** How many keys each replica has introduced that are not this replica's own. */
  readonly #introduced: number[] = [];
  #foreignKeys = 0;
  #refusedKeys = 0;
  #limiterReset = 0;
  #resets: { version: number; reset: number }[] = [];
  #version = 1;
  readonly #reread = (): void => this.#nextVersion();
  #hand = 1;
  #frameOfReset = 0;

  constructor(sections: readonly Section[], options: StoreOptions) {
    this.#replicas = options.replicas;
    options.replicas.watch(this.#reread);
    this.#keysMax = options.keysMax;
    this.#evicted = options.evicted;
    this.notes = new Notes(options.keysMax, options.keepMs);

    const words = sections.reduce((sum, section) => sum + section.words, HEADER_WORDS);
    this.records = new RecordPool(words);
    this.index = new KeyIndex(this.records, options.seed);
    let base = HEADER_WORDS;
    this.shapes = sections.map((section) => {
      const shape = section.create(this.records, this.#replicas, base);
      base += section.words;
      return shape;
    });
  }

  /** Keys with a record. */
  get size(): number {
    return this.records.size;
  }

  get limiterReset(): number {
    return this.#limiterReset;
  }

  /** Tells the store what time it is. Its own time never goes back; the cluster's may, in steps. */
  advance(now: number, clusterNow: number): void {
    if (now > this.now) this.now = now;
    if (clusterNow > this.clusterNow || clusterNow < this.clusterNow - CLUSTER_STEP_MS) {
      this.clusterNow = clusterNow;
    }
  }

  /** The record of a key, up to date with what is known of the replicas; 0 for none. */
  find(low: number, high: number): number {
    const id = this.index.find(low, high);
    if (id === 0) return 0;
    const records = this.records;
    const state = records.chunk[records.start + STATE]!;
    if (state >>> VERSION_SHIFT !== this.#version) this.#refresh(id, state);
    return id;
  }

  /** A record for a key that has none; 0 when there is no room for it. */
  insert(low: number, high: number): number {
    return this.#insert(low, high, SELF);
  }

  /** Says that this replica is counting something for a key, which is not being refused then. */
  changed(id: number): void {
    const records = this.records;
    records.take(id);
    const { chunk, start } = records;
    chunk[start + FRAME] = this.frame | 0;
    const flags = chunk[start + STATE]! & (OWN | REFUSED);
    if (flags === OWN) return;
    if ((flags & OWN) === 0) this.#own(id);
    if ((flags & REFUSED) !== 0) this.#flipRefused(id);
  }

  /** Remembers that the last check of a key was refused. */
  setRefused(id: number): void {
    if ((this.records.word(id, STATE) & REFUSED) === 0) this.#flipRefused(id);
  }

  /** Whether resets or marks may be known for a key. */
  isNoted(id: number): boolean {
    if (this.notes.size === 0) return false;
    return id === 0 || (this.records.word(id, STATE) & NOTED) !== 0;
  }

  /** The largest reset known for a key. */
  knownReset(low: number, high: number): number {
    return Math.max(this.#limiterReset, this.notes.find(low, high)?.reset ?? 0);
  }

  /** The largest reset known for the marks of a key. */
  knownMarkReset(note: Readonly<Note>): number {
    return Math.max(this.#limiterReset, note.reset, note.markReset);
  }

  /** What tickets of a key's components are tied to: the key, and the reset they began under. */
  ticketTie(id: number, low: number, high: number): number {
    return low ^ (this.isNoted(id) ? tieOf(this.knownReset(low, high)) : this.tie);
  }

  // ── Resets and marks ─────────────────────────────────────────────────────────────────────────

  /** Ends everything counted for a key so far, and voids its marks; returns the new reset. */
  reset(low: number, high: number): number {
    const note = this.notes.find(low, high);
    const known = note === undefined ? this.#limiterReset : this.knownMarkReset(note);
    const reset = Math.max(known + 1, this.clusterNow);
    this.joinReset(low, high, reset);
    return reset;
  }

  /** Ends everything counted for every key so far; returns the new reset. */
  resetAll(): number {
    let largest = this.#limiterReset;
    for (const note of this.notes.all()) largest = Math.max(largest, this.knownMarkReset(note));
    const reset = Math.max(largest + 1, this.clusterNow);
    this.joinResetAll(reset);
    return reset;
  }

  /** Voids the marks of a key and nothing else. */
  unmark(low: number, high: number): void {
    const note = this.#noteFor(low, high);
    this.joinMarkReset(low, high, Math.max(this.knownMarkReset(note) + 1, this.clusterNow));
  }

  /** Marks a key until a time of the cluster's clock. */
  mark(low: number, high: number, kind: number, untilMs: number, limit: number): void {
    const note = this.#noteFor(low, high);
    this.joinMark(low, high, kind, { reset: this.knownMarkReset(note), untilMs, limit });
  }

  /** Learns of a reset of a key; returns whether it was new. */
  joinReset(low: number, high: number, reset: number): boolean {
    if (reset <= this.knownReset(low, high)) return false;
    const note = this.#noteFor(low, high);
    this.notes.raiseReset(note, reset, this.now);
    note.frame = this.frame;
    const id = this.find(low, high);
    if (id !== 0) for (const shape of this.shapes) shape.wipe(id);
    return true;
  }

  /** Learns of a reset of all keys; returns whether it was new. */
  joinResetAll(reset: number): boolean {
    if (reset <= this.#limiterReset) return false;
    this.#limiterReset = reset;
    this.tie = tieOf(reset);
    this.#frameOfReset = this.frame;
    this.#nextVersion();
    this.#resets.push({ version: this.#version, reset });
    return true;
  }

  /** Learns that a key's marks up to a reset are void; returns whether that was new. */
  joinMarkReset(low: number, high: number, reset: number): boolean {
    // Old news makes no note: in a full table it would push out another.
    if (reset <= (this.notes.find(low, high)?.markReset ?? 0)) return false;
    const note = this.#noteFor(low, high);
    if (!this.notes.raiseMarkReset(note, reset, this.now)) return false;
    note.frame = this.frame;
    return true;
  }

  /** Merges a mark; returns whether it was new. */
  joinMark(low: number, high: number, kind: number, mark: Mark): boolean {
    const note = this.#noteFor(low, high);
    if (!this.notes.joinMark(note, kind, mark)) return false;
    note.frame = this.frame;
    return true;
  }

  // ── What replication carries ─────────────────────────────────────────────────────────────────

  /** Ends the current frame and returns its number; what changes from now on is in the next. */
  closeFrame(): number {
    return this.frame++;
  }

  /** Shows this replica's components, and the resets and marks it knows, of keys changed after `frame`. */
  changedSince(frame: number, visitor: ChangeVisitor): void {
    const visit = (component: Component): void => visitor.component(component);
    for (let id = 1; id < this.records.end; id++) {
      const state = this.records.word(id, STATE);
      if ((state & (LIVE | OWN)) !== (LIVE | OWN)) continue;
      if (((this.records.word(id, FRAME) - frame) | 0) <= 0) continue;
      // What a reset of all keys has ended must not leave as if it came after it.
      if (state >>> VERSION_SHIFT !== this.#version) this.#refresh(id, state);
      this.#emit(id, visit);
    }
    for (const note of this.notes.all()) if (note.frame > frame) visitor.note(note);
  }

  /** The reset of all keys, if it was learned after `frame`; otherwise 0. */
  resetAllSince(frame: number): number {
    return this.#frameOfReset > frame ? this.#limiterReset : 0;
  }

  /**
   * Merges what another replica has counted. Returns whether it said anything new; what is over,
   * from before a reset, from this replica itself or malformed never does.
   */
  join(component: Readonly<Component>): boolean {
    const { low, high, replica } = component;
    const shape = this.shapes[component.policy];
    if (shape === undefined || replica === SELF || this.#replicas.isDropped(replica)) return false;
    // There are only so many numbers, and what has none cannot be told apart.
    if (replica >= NOBODY || component.opener >= NOBODY) return false;
    if (component.refunds > component.hits) return false;
    if (!shape.isAdmissible(component, this.now, this.clusterNow)) return false;
    if (shape.endsWithReset) {
      const known = this.knownReset(low, high);
      if (component.reset < known) return false;
      if (component.reset > known) this.joinReset(low, high, component.reset);
    }
    let id = this.find(low, high);
    if (id === 0) id = this.#insert(low, high, replica);
    if (id === 0) return false;
    return shape.join(id, component, this.now, this.clusterNow);
  }

  // ── Bounds ───────────────────────────────────────────────────────────────────────────────────

  /** Frees records in which nothing counts any more; looks at no more than `budget`. */
  sweep(budget: number): number {
    let freed = 0;
    for (let looked = 0; looked < budget && this.records.size > 0; looked++) {
      const id = this.#nextLive();
      if (this.#rank(id) !== EXPIRED) continue;
      this.#letGo(id);
      freed++;
    }
    this.notes.sweep(this.now, this.clusterNow, budget);
    return freed;
  }

  /** Gives up a key's record, handing over what is this replica's own; false if it is held. */
  evict(id: number): boolean {
    const rank = this.#rank(id);
    if (rank === HELD) return false;
    if (rank === EXPIRED) {
      this.evictions.expired++;
      this.#letGo(id);
      return true;
    }
    if (rank === LIMITED) this.evictions.refused++;
    if (rank === FOREIGN) this.evictions.foreign++;
    else this.evictions.live++;
    const sink = this.#evicted;
    if (sink !== undefined && this.#isOwn(id)) {
      this.#emit(id, (component) => {
        if (!sink(component)) this.evictions.lost++;
      });
    }
    if (this.#isOwn(id)) this.generation++;
    this.#free(id);
    return true;
  }

  /** Forgets every key, reset and mark. */
  clear(): void {
    for (let id = 1; id < this.records.end; id++) {
      if (!this.#isLive(id)) continue;
      for (const shape of this.shapes) shape.release(id);
    }
    this.records.clear();
    this.index.clear();
    this.notes.clear();
    this.#introduced.length = 0;
    this.#foreignKeys = 0;
    this.#refusedKeys = 0;
    this.generation++;
  }

  /** Forgets everything and no longer follows what is known of replicas. */
  close(): void {
    this.clear();
    this.#replicas.unwatch(this.#reread);
  }

  /** Names every replica that something stored refers to. */
  refersTo(mark: (replica: number) => void): void {
    for (let id = 1; id < this.records.end; id++) {
      if (!this.#isLive(id)) continue;
      if (!this.#isOwn(id)) mark(this.records.word(id, GENERATION));
      for (const shape of this.shapes) shape.refersTo(id, mark);
    }
  }

  #insert(low: number, high: number, introducer: number): number {
    this.sweep(SWEEP_PER_INSERT);
    if (this.records.size >= this.#keysMax && !this.#makeRoom(introducer)) {
      this.evictions.turnedAway++;
      return 0;
    }
    const records = this.records;
    const id = records.allocate();
    if (id === 0) return 0;
    const noted = this.notes.find(low, high) === undefined ? 0 : NOTED;
    records.setWord(id, FINGERPRINT_LOW, low);
    records.setWord(id, FINGERPRINT_HIGH, high);
    records.setWord(id, STATE, LIVE | noted | (this.#version << VERSION_SHIFT));
    records.setWord(id, GENERATION, introducer);
    if (introducer !== SELF) this.#introduce(introducer, 1);
    for (const shape of this.shapes) shape.begin(id);
    this.index.insert(id);
    return id;
  }

  /** Whether a record could be given up for one more key; a sender beyond its share gets none. */
  #makeRoom(introducer: number): boolean {
    const share = this.#keysMax / this.#replicas.aliveCount;
    if (introducer !== SELF && (this.#introduced[introducer] ?? 0) >= share) return false;

    const size = this.records.size;
    // Among many refused keys it takes longer to meet one that is not.
    const others = Math.max(1, size - this.#refusedKeys);
    const looks = Math.min(size, EVICTION_LOOKS_MAX, EVICTION_SAMPLE * Math.ceil(size / others));
    const isForeignRare = this.#foreignKeys <= this.#keysMax * FOREIGN_PART;
    let chosen = 0;
    let lowest = HELD;
    let lightest = Number.POSITIVE_INFINITY;
    for (let look = 0; look < looks; look++) {
      if (look >= EVICTION_SAMPLE && lowest < LIMITED) break;
      const id = this.#nextLive();
      const kind = this.#rank(id);
      const rank = kind === FOREIGN && isForeignRare ? COUNTED : kind;
      if (rank > lowest || rank === HELD) continue;
      // Of equal ones, what others know as well goes before what only this replica does.
      const weight = rank === EXPIRED ? 0 : this.#weight(id) - (kind === FOREIGN ? 0.5 : 0);
      if (rank === lowest && weight >= lightest) continue;
      chosen = id;
      lowest = rank;
      lightest = weight;
      if (rank === EXPIRED || (rank === FOREIGN && weight < 1)) break;
    }
    return chosen !== 0 && this.evict(chosen);
  }

  #rank(id: number): number {
    const state = this.records.word(id, STATE);
    if (state >>> VERSION_SHIFT !== this.#version) this.#refresh(id, state);
    let expired = true;
    let own = false;
    for (const shape of this.shapes) {
      if (shape.isHeld(id)) return HELD;
      if (shape.isExpired(id, this.now, this.clusterNow)) continue;
      expired = false;
      own ||= shape.isOwn(id, this.now, this.clusterNow);
    }
    if (expired) return EXPIRED;
    if ((state & REFUSED) !== 0) return LIMITED;
    return own ? COUNTED : FOREIGN;
  }

  #weight(id: number): number {
    let weight = 0;
    for (const shape of this.shapes) weight = Math.max(weight, shape.weight(id));
    return weight;
  }

  /** The next record in use, going round. Needs a record in use. */
  #nextLive(): number {
    do {
      this.#hand = this.#hand + 1 < this.records.end ? this.#hand + 1 : 1;
    } while (!this.#isLive(this.#hand));
    return this.#hand;
  }

  /** Frees a record in which nothing counts. Its successor must not continue what has no place. */
  #letGo(id: number): void {
    if (this.#isOwn(id) && this.shapes.some((shape) => shape.placeless)) this.generation++;
    this.#free(id);
  }

  #free(id: number): void {
    const state = this.records.word(id, STATE);
    if ((state & REFUSED) !== 0) this.#refusedKeys--;
    if ((state & OWN) === 0) {
      const introducer = this.records.word(id, GENERATION);
      if (introducer !== SELF) this.#introduce(introducer, -1);
    }
    this.index.remove(id);
    for (const shape of this.shapes) shape.release(id);
    this.records.release(id);
  }

  /** Counts the keys that others have introduced and that are not this replica's own. */
  #introduce(introducer: number, keys: number): void {
    this.#introduced[introducer] = (this.#introduced[introducer] ?? 0) + keys;
    this.#foreignKeys += keys;
  }

  #flipRefused(id: number): void {
    const state = this.records.word(id, STATE) ^ REFUSED;
    this.records.setWord(id, STATE, state);
    this.#refusedKeys += (state & REFUSED) === 0 ? -1 : 1;
  }

  /** The key is this replica's own from now on, and its components are of this generation. */
  #own(id: number): void {
    const introducer = this.records.word(id, GENERATION);
    if (introducer !== SELF) this.#introduce(introducer, -1);
    this.records.setWord(id, GENERATION, this.generation | 0);
    this.records.setWord(id, STATE, this.records.word(id, STATE) | OWN);
  }

  #emit(id: number, visit: (component: Component) => void): void {
    const component = this.#component;
    component.low = this.records.word(id, FINGERPRINT_LOW);
    component.high = this.records.word(id, FINGERPRINT_HIGH);
    component.replica = SELF;
    // Only the low half is stored; it lies at most 2^32 evictions back.
    const age = ((this.generation | 0) - this.records.word(id, GENERATION)) >>> 0;
    component.generation = this.generation - age;
    const reset = this.knownReset(component.low, component.high);
    this.shapes.forEach((shape, policy) => {
      component.policy = policy;
      component.reset = shape.endsWithReset ? reset : 0;
      shape.emit(id, this.now, this.clusterNow, component, visit);
    });
  }

  #noteFor(low: number, high: number): Note {
    const note = this.notes.obtain(low, high);
    const id = this.index.find(low, high);
    if (id !== 0) this.records.setWord(id, STATE, this.records.word(id, STATE) | NOTED);
    return note;
  }

  #nextVersion(): void {
    if (this.#version >= VERSION_MAX || this.#resets.length >= RESETS_MAX) {
      // Rare enough to bring every record up to date at once and start counting anew.
      for (let id = 1; id < this.records.end; id++) {
        if (!this.#isLive(id)) continue;
        this.#refresh(id, this.records.word(id, STATE));
        const flags = this.records.word(id, STATE) & FLAGS_MASK;
        this.records.setWord(id, STATE, flags | (1 << VERSION_SHIFT));
      }
      this.#resets = [{ version: 0, reset: this.#limiterReset }];
      this.#version = 1;
    }
    this.#version++;
    this.ownState = LIVE | OWN | (this.#version << VERSION_SHIFT);
  }

  /** Reads a record's components anew, without those that a reset of all keys has ended since. */
  #refresh(id: number, state: number): void {
    const version = state >>> VERSION_SHIFT;
    let before = 0;
    for (const raised of this.#resets) if (raised.version <= version) before = raised.reset;
    if (before < this.#limiterReset) {
      const low = this.records.word(id, FINGERPRINT_LOW);
      const note = this.notes.find(low, this.records.word(id, FINGERPRINT_HIGH));
      if ((note?.reset ?? 0) < this.#limiterReset) for (const shape of this.shapes) shape.wipe(id);
    }
    for (const shape of this.shapes) shape.refresh(id, this.now, this.clusterNow);
    this.records.setWord(id, STATE, (state & FLAGS_MASK) | (this.#version << VERSION_SHIFT));
  }

  #isLive(id: number): boolean {
    return (this.records.word(id, STATE) & LIVE) !== 0;
  }

  #isOwn(id: number): boolean {
    return (this.records.word(id, STATE) & OWN) !== 0;
  }
}

function tieOf(reset: number): number {
  return reset === 0 ? 0 : ticketOf(1, Math.floor(reset / TWO_32), reset | 0);
}
