/**
 * A key's slots, turned to the current slot at each access.
 *
 * The record is aligned to the newest slot in which it was accessed. Each other replica has a ring
 * beside the record, and the record holds their sum. Slots that leave the rings are dropped or, for
 * a bucket, folded into its level. In a cluster the rings have a bin for the next slot too, because
 * a replica whose clock is a little ahead already counts there.
 *
 *     | slot high, joined | slot low | chain | level | own … | others … |
 *                                           └ bucket        └ in a cluster
 */

import { drain, foldSlot } from "../../../crdt/checkpoint.ts";
import type { Component } from "../../../crdt/component.ts";
import type { Replicas } from "../../replicas/replicas.ts";
import type { ComponentVisitor, Timing } from "../../table/entry.ts";
import type { RecordPool } from "../../table/record-pool.ts";
import { SlotBins } from "./slot-bins.ts";
import { SlotRings } from "./slot-rings.ts";

const SLOT_HIGH = 0;
const SLOT_LOW = 1;
const CHAIN = 2;
const HEAD_WORDS = 3;
const LEVEL_WORDS = 2;

/** The bits with the number of kept slots that the level contains as well. */
const JOINED_SHIFT = 16;
const SLOT_HIGH_MASK = 0xffff;
/** The high half of no slot: the record is not aligned yet. */
const UNSET = 0xffff;

const TWO_32 = 2 ** 32;

/** Levels are kept in thousandths of a hit, so that whole rates leak whole numbers each ms. */
export const LEVEL_SCALE = 1_000;

export interface SlotGridOptions {
  readonly slotMs: number;
  /** Slots that are kept apart, including the current one. */
  readonly slots: number;
  /** How many of them, oldest first, are also in the level that a bucket publishes. */
  readonly published: number;
  /** Whether counts of other replicas will be merged. */
  readonly shared: boolean;
  /** Thousandths of a hit that a bucket loses each slot; 0 for a grid, which drops old slots. */
  readonly leak: number;
}

/**
 * The slot of the cluster's current time, and its bin in a ring. It is the same for every key, so
 * it is computed once per slot and not per check.
 */
export class SlotTime {
  slot = -1;
  startsAt = 0;
  endsAt = 0;
  /** The bin of the slot. */
  bin = 0;

  readonly #slotMs: number;
  readonly #bins: number;

  constructor(slotMs: number, bins: number) {
    this.#slotMs = slotMs;
    this.#bins = bins;
  }

  turnTo(clusterNow: number): void {
    if (clusterNow < this.endsAt && clusterNow >= this.startsAt && this.slot >= 0) return;
    this.slot = Math.floor(clusterNow / this.#slotMs);
    this.startsAt = this.slot * this.#slotMs;
    this.endsAt = this.startsAt + this.#slotMs;
    this.bin = this.slot % this.#bins;
  }

  /** The bin of the slot that is `age` slots old; -1 is the next slot. */
  binOfAge(age: number): number {
    const bin = this.bin - age;
    if (bin < 0) return bin + this.#bins;
    return bin >= this.#bins ? bin - this.#bins : bin;
  }
}

export class SlotGrid {
  readonly time: SlotTime;
  readonly bins: SlotBins;
  /** What a bucket loses each slot, in thousandths of a hit; 0 for a grid, which drops old slots. */
  readonly leak: number;
  /** How many slots after the current one have a bin. */
  readonly ahead: number;

  readonly #records: RecordPool;
  readonly #base: number;
  readonly #levelAt: number;
  readonly #replicas: Replicas;
  readonly #slots: number;
  readonly #binCount: number;
  readonly #rings: SlotRings;

  constructor(records: RecordPool, replicas: Replicas, base: number, options: SlotGridOptions) {
    const { slotMs, slots, shared, leak } = options;
    this.#slots = slots;
    this.ahead = shared ? 1 : 0;
    this.#records = records;
    this.#base = base;
    this.#replicas = replicas;
    this.#binCount = slots + this.ahead;
    this.leak = leak;
    this.time = new SlotTime(slotMs, this.#binCount);
    this.#levelAt = base + HEAD_WORDS;
    const binsAt = this.#levelAt + (leak > 0 ? LEVEL_WORDS : 0);
    this.bins = new SlotBins(records, binsAt, this.#binCount, shared);
    this.#rings = new SlotRings(records, base + CHAIN, this.#binCount, this.ahead);
  }

  begin(id: number): void {
    this.#records.setWord(id, this.#base + SLOT_HIGH, UNSET);
  }

  /** A bucket's level after the newest slot that was folded away, in thousandths of a hit. */
  level(id: number): number {
    return this.#records.float(id, this.#levelAt);
  }

  setLevel(id: number, level: number): void {
    this.#records.setFloat(id, this.#levelAt, level);
  }

  /** A level one slot later, in which so many hits were counted. */
  levelAfter(level: number, hits: number): number {
    return foldSlot(level, this.leak, hits * LEVEL_SCALE);
  }

  /**
   * How many of the kept slots, oldest first, a merged level contains: counts that arrive for them
   * may be in that level already.
   */
  joined(id: number): number {
    return this.#records.word(id, this.#base + SLOT_HIGH) >>> JOINED_SHIFT;
  }

  setJoined(id: number, joined: number): void {
    const high = this.#records.word(id, this.#base + SLOT_HIGH) & SLOT_HIGH_MASK;
    this.#records.setWord(id, this.#base + SLOT_HIGH, high | (joined << JOINED_SHIFT));
  }

  /**
   * Turns a record to the current slot; the slots that leave a bucket's rings go into its level.
   */
  align(id: number): void {
    const now = this.time.slot;
    const records = this.#records;
    records.take(id);
    const { chunk } = records;
    const at = records.start + this.#base;
    const high = chunk[at + SLOT_HIGH]!;
    const slot = (high & SLOT_HIGH_MASK) * TWO_32 + (chunk[at + SLOT_LOW]! >>> 0);
    if (slot === now) return;
    if ((high & SLOT_HIGH_MASK) !== UNSET) {
      if (slot > now && this.leak > 0) {
        this.foldAll(id);
        return;
      }
      if (slot < now) this.#turn(id, slot, now - slot);
      else this.#turnBack(id, slot);
    }
    const joined = Math.max(0, (high >>> JOINED_SHIFT) - Math.max(0, now - slot));
    chunk[at + SLOT_HIGH] = Math.floor(now / TWO_32) | (joined << JOINED_SHIFT);
    chunk[at + SLOT_LOW] = now | 0;
  }

  /**
   * Folds all hits of a record into its level, as of before the kept slots. After the clock steps
   * back, old and new hits of one slot number could not be told apart.
   */
  foldAll(id: number): void {
    const { time } = this;
    const word = this.#base + SLOT_HIGH;
    const high = this.#records.word(id, word) & SLOT_HIGH_MASK;
    if (this.leak === 0 || high === UNSET) return;
    const slot = high * TWO_32 + (this.#records.word(id, this.#base + SLOT_LOW) >>> 0);
    this.#turn(id, slot, this.#binCount);
    this.#rings.chain.clear(id);
    // The kept slots are empty now, and will leak for as long as they last.
    const kept = this.#slots - Math.max(0, time.slot - slot);
    const folded = this.level(id);
    this.setLevel(id, folded > 0 ? drain(folded, this.leak, -kept) : 0);
    this.#records.setWord(id, word, Math.floor(time.slot / TWO_32));
    this.#records.setWord(id, this.#base + SLOT_LOW, time.slot | 0);
  }

  /**
   * The level in the current slot of a bucket that is not replicated, without turning the record:
   * each turn rounds, and a caller that reads every millisecond would accumulate that. Negative
   * after the clock steps back: then the record has to be turned.
   */
  levelNow(id: number): number {
    const records = this.#records;
    records.take(id);
    const { chunk } = records;
    const at = records.start + this.#base;
    const high = chunk[at + SLOT_HIGH]! & SLOT_HIGH_MASK;
    if (high === UNSET) return 0;
    const turns = this.time.slot - (high * TWO_32 + (chunk[at + SLOT_LOW]! >>> 0));
    if (turns < 0) return -1;
    return drain(this.levelAfter(this.level(id), this.bins.hits(id, 0)), this.leak, turns);
  }

  /** The newest slot that is no longer kept apart. */
  get foldedUntil(): number {
    return this.time.slot - this.#slots;
  }

  /** The bin of a slot, even if the rings do not contain the slot. */
  binOf(slot: number): number {
    return slot % this.#binCount;
  }

  /** Whether the rings contain a slot; then it is live. */
  timing(slot: number): Timing {
    const now = this.time.slot;
    if (slot <= now - this.#slots) return "over";
    return slot > now + this.ahead ? "ahead" : "live";
  }

  /** Whether any hit was counted, including refunded ones. */
  isUsed(id: number): boolean {
    if (this.bins.hasAny(id)) return true;
    // A refunded hit still matters: a late report without the refund must not count it again.
    const rings = this.#rings;
    const { chain } = rings;
    for (let ring = chain.first(id); ring !== 0; ring = chain.next(ring)) {
      rings.turn(ring, this.time.slot);
      if (rings.isUsed(ring)) return true;
    }
    return false;
  }

  /** Sums up the rings of an aligned record again, without those of dropped replicas. */
  refresh(id: number): void {
    if (this.ahead === 0) return;
    const rings = this.#rings;
    const { slot } = this.time;
    this.bins.emptyOthers(id);
    rings.chain.retain(id, (ring) => {
      rings.turn(ring, slot);
      if (this.#replicas.isDropped(rings.chain.replica(ring)) || !rings.isUsed(ring)) return false;
      for (let bin = 0; bin < this.#binCount; bin++) {
        this.bins.addOthers(id, bin, rings.hits(ring, bin));
      }
      return true;
    });
  }

  /**
   * Merges a component whose slot the rings contain; returns whether it was new, undefined without
   * room.
   */
  join(id: number, component: Component): boolean | undefined {
    const rings = this.#rings;
    const { replica, generation, period, hits, refunds } = component;
    const ring = rings.obtain(id, replica, generation | 0, this.time.slot);
    if (ring === 0) return undefined;
    const bin = this.binOf(period);
    const before = rings.hits(ring, bin);
    const grew = rings.raise(ring, bin, hits, refunds);
    this.bins.addOthers(id, bin, rings.hits(ring, bin) - before);
    return grew;
  }

  /** Visits the counts of another replica in the slots of an aligned record. */
  emitRemote(id: number, replica: number, component: Component, visit: ComponentVisitor): void {
    const rings = this.#rings;
    const { chain } = rings;
    const { slot } = this.time;
    component.opener = replica;
    component.refusals = 0;
    for (let ring = chain.first(id); ring !== 0; ring = chain.next(ring)) {
      if (chain.replica(ring) !== replica) continue;
      rings.turn(ring, slot);
      component.generation = chain.generation(ring) >>> 0;
      for (let period = slot - this.#slots + 1; period <= slot + this.ahead; period++) {
        const bin = this.binOf(period);
        component.period = period;
        component.hits = rings.counted(ring, bin);
        component.refunds = component.hits - rings.hits(ring, bin);
        if (component.hits > 0) visit(component);
      }
    }
  }

  refersTo(id: number, mark: (replica: number) => void): void {
    this.#rings.chain.refersTo(id, mark);
  }

  /** Empties every slot and the level. */
  wipe(id: number): void {
    this.#rings.chain.clear(id);
    this.bins.clear(id);
    if (this.leak > 0) this.setLevel(id, 0);
    this.setJoined(id, 0);
  }

  /** Frees everything beside the record. */
  release(id: number): void {
    this.#rings.chain.clear(id);
    this.bins.release(id);
  }

  /** Frees everything beside all records. */
  releaseAll(): void {
    this.#rings.clearAll();
    this.bins.releaseAll();
  }

  #turn(id: number, slot: number, turns: number): void {
    const { bins } = this;
    const isBucket = this.leak > 0;
    const steps = Math.min(turns, this.#binCount);
    let folded = isBucket ? this.level(id) : 0;
    let bin = this.binOf(slot + this.ahead + 1);
    for (let step = 0; step < steps; step++) {
      if (isBucket) folded = this.levelAfter(folded, bins.hits(id, bin));
      bins.empty(id, bin);
      bin = bin + 1 === this.#binCount ? 0 : bin + 1;
    }
    if (isBucket) this.setLevel(id, drain(folded, this.leak, turns - steps));
  }

  /** After the clock steps back, drops the counts of slots that are in the future again. */
  #turnBack(id: number, slot: number): void {
    const last = slot + this.ahead;
    const first = Math.max(this.time.slot + this.ahead + 1, last - this.#binCount + 1);
    for (let dropped = first; dropped <= last; dropped++) this.bins.empty(id, this.binOf(dropped));
    this.refresh(id);
  }
}

/** Words of a record that slots use. */
export function slotGridWords({ slots, shared, leak }: SlotGridOptions): number {
  const bins = slots + (shared ? 1 : 0);
  return HEAD_WORDS + (leak > 0 ? LEVEL_WORDS : 0) + bins * (shared ? 2 : 1);
}
