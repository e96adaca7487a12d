/**
 * Time cut into slots of one width: rings of the last few slots' counts.
 *
 * The record holds two rings, this replica's hits and the sum of all others', aligned to the
 * newest slot it was touched in; a ring per other replica lies beside it. Slots that fall out of
 * the ring are dropped whole, or, for a bucket, folded into its level. In a cluster the rings keep
 * a bin for the next slot too, because a replica whose clock is a little ahead is in it already.
 *
 *     | slot high, exact | slot low | chain | level low | level high | own … | others … |
 *                                           └── only a bucket's ──┘         └ in a cluster
 */

import { betterCheckpoint, type Checkpoint, drain, foldSlot } from "../lattice/checkpoint.ts";
import type { Component } from "../lattice/component.ts";
import type { ComponentVisitor, Shape } from "./entry.ts";
import { RecordFields } from "./record-fields.ts";
import type { RecordPool } from "./record-pool.ts";
import { type Replicas, SELF } from "./replicas.ts";
import { SlotRings } from "./slot-rings.ts";
import { ticketOf } from "./ticket.ts";

const SLOT_HIGH = 0;
const SLOT_LOW = 1;
const CHAIN = 2;
const LEVEL_LOW = 3;
const LEVEL_HIGH = 4;

/** The bit of `SLOT_HIGH` that says the level is exact. */
const EXACT = 0x1_0000;
const SLOT_HIGH_MASK = 0xffff;
/** The high half of no slot: the record has not been aligned yet. */
const UNSET = 0xffff;

const TWO_32 = 2 ** 32;
/** Levels are kept in thousandths of a hit, so that whole rates leak whole numbers each ms. */
export const LEVEL_SCALE = 1_000;
/** Levels closer than this are the same: what rounding of fractional rates may add up to. */
export const LEVEL_SLACK = 1e-6;

// A 64-bit float read as two words, and back.
const float = new Float64Array(1);
const floatWords = new Int32Array(float.buffer);

export interface GridShapeOptions {
  readonly slotMs: number;
  /** Slots that are kept apart, the current one included. */
  readonly slots: number;
  /** Whether other replicas' counts will be joined. */
  readonly shared: boolean;
  /** What a bucket loses each slot, in thousandths of a hit; 0 for a grid that drops old slots. */
  readonly leak: number;
}

export class GridShape implements Shape {
  readonly words: number;
  readonly placeless = false;
  readonly endsWithReset = true;

  // The current slot, for every key.
  /** When the current slot ends, in the cluster's time. */
  slotEndsAt = 0;
  #slot = -1;
  #slotStartsAt = 0;
  #bin = 0;

  // What the last `read` saw.
  /** Grid: hits in all slots but the trailing one. */
  hits = 0;
  /** Grid: hits in the oldest slot that is kept. */
  trailing = 0;
  /** Bucket: the level, in thousandths of a hit. */
  level = 0;

  readonly #fields: RecordFields;
  readonly #replicas: Replicas;
  readonly #slotMs: number;
  readonly #slots: number;
  readonly #ahead: number;
  readonly #leak: number;
  readonly #bins: number;
  readonly #own: number;
  readonly #others: number;
  readonly #rings: SlotRings;
  readonly #refunds = new Map<number, number>();

  constructor(records: RecordPool, replicas: Replicas, base: number, options: GridShapeOptions) {
    this.#fields = new RecordFields(records, base);
    this.#replicas = replicas;
    this.#slotMs = options.slotMs;
    this.#slots = options.slots;
    this.#ahead = options.shared ? 1 : 0;
    this.#leak = options.leak;
    this.#bins = options.slots + this.#ahead;
    this.#own = options.leak > 0 ? LEVEL_HIGH + 1 : CHAIN + 1;
    this.#others = options.shared ? this.#own + this.#bins : 0;
    this.words = gridShapeWords(options);
    this.#rings = new SlotRings(records, base + CHAIN, this.#bins, this.#ahead);
  }

  begin(id: number): void {
    this.#fields.setWord(id, SLOT_HIGH, UNSET | (this.#replicas.aliveCount === 1 ? EXACT : 0));
  }

  /** Sums up the slots that count at `clusterNow`; record 0 reads as a key never seen. */
  read(id: number, clusterNow: number): void {
    this.#turnTo(clusterNow);
    this.hits = 0;
    this.trailing = 0;
    this.level = 0;
    if (id === 0) return;
    this.#align(id);
    if (this.#leak > 0) this.#readLevel(id);
    else this.#readHits(id);
  }

  /** Counts hits in the current slot. Needs a `read`. */
  add(id: number, cost: number): void {
    this.#fields.addToCount(id, this.#own + this.#bin, cost);
  }

  /** Names the slot that own hits are counted in now. */
  ticket(id: number): number {
    return this.#ticketOfSlot(id, this.#slot);
  }

  /**
   * Gives back hits of the slot named by `ticket`; returns how many, 0 if it is over. A bucket that
   * nobody shares gives back from its level as well, if the hit's water is still in it.
   */
  refund(id: number, ticket: number, cost: number, clusterNow: number, isInLevel: boolean): number {
    this.read(id, clusterNow);
    for (let age = 0; age < this.#slots; age++) {
      if (this.#ticketOfSlot(id, this.#slot - age) !== ticket) continue;
      const bin = this.#binOfAge(age);
      const refunds = this.#refundsIn(id, bin);
      const given = Math.min(cost, this.#fields.count(id, this.#own + bin) - refunds);
      if (given > 0) this.#refunds.set(id * this.#bins + bin, refunds + given);
      return given;
    }
    if (this.#leak === 0 || this.#ahead === 1 || !isInLevel) return 0;
    const level = this.#checkpointLevel(id);
    const given = Math.min(cost * LEVEL_SCALE, level);
    this.#setCheckpointLevel(id, level - given);
    return Math.ceil(given / LEVEL_SCALE);
  }

  /** How long until at most `target` hits are left in the slots of a grid. Needs a `read`. */
  msUntilAtMost(id: number, target: number, clusterNow: number): number {
    const width = this.#slotMs;
    let full = this.hits;
    let trailing = this.trailing;
    let startsAt = this.#slotStartsAt;
    for (let age = this.#slots - 2; age >= 0; age--) {
      if (full <= target) {
        const passed = Math.max(0, clusterNow - startsAt);
        const elapsed = Math.max(passed, elapsedUntilFits(trailing, target - full, width));
        if (elapsed < width) return startsAt + elapsed - clusterNow;
      }
      trailing = id === 0 ? 0 : this.#hitsIn(id, this.#binOfAge(age));
      full -= trailing;
      startsAt += width;
    }
    const elapsed = elapsedUntilFits(trailing, target - full, width);
    return startsAt + elapsed - clusterNow;
  }

  /** How long until a bucket that is at `level` now is at `target`. Needs a `read`. */
  msUntilLevel(level: number, target: number, clusterNow: number): number {
    if (level <= target + LEVEL_SLACK) return 0;
    const slots = Math.ceil((level - target - LEVEL_SLACK) / this.#leak);
    return this.slotEndsAt + (slots - 1) * this.#slotMs - clusterNow;
  }

  refresh(id: number, _now: number, clusterNow: number): void {
    this.#turnTo(clusterNow);
    this.#align(id);
    if (this.#others === 0) return;
    for (let bin = 0; bin < this.#bins; bin++) {
      this.#fields.setCount(id, this.#others + bin, 0);
    }
    for (let ring = this.#rings.first(id); ring !== 0; ) {
      const next = this.#rings.next(ring);
      const isDropped = this.#replicas.isDropped(this.#rings.replica(ring));
      if (isDropped || this.#rings.isOver(ring, this.#slot)) {
        this.#rings.remove(id, ring);
      } else {
        this.#rings.turn(ring, this.#slot);
        for (let bin = 0; bin < this.#bins; bin++) {
          this.#fields.addToCount(id, this.#others + bin, this.#rings.hits(ring, bin));
        }
      }
      ring = next;
    }
  }

  wipe(id: number): void {
    this.release(id);
    for (let bin = 0; bin < this.#bins; bin++) {
      this.#fields.setCount(id, this.#own + bin, 0);
      if (this.#others !== 0) this.#fields.setCount(id, this.#others + bin, 0);
    }
    if (this.#leak > 0) this.#setCheckpointLevel(id, 0);
  }

  release(id: number): void {
    this.#rings.clear(id);
    if (this.#refunds.size === 0) return;
    for (let bin = 0; bin < this.#bins; bin++) this.#refunds.delete(id * this.#bins + bin);
  }

  isExpired(id: number, _now: number, clusterNow: number): boolean {
    this.read(id, clusterNow);
    if (this.#leak > 0) return this.level === 0 && !this.#hasHits(id);
    return this.hits === 0 && this.trailing === 0 && !this.#hasHits(id);
  }

  isOwn(id: number, _now: number, clusterNow: number): boolean {
    this.read(id, clusterNow);
    if (this.#leak > 0 && this.#checkpointLevel(id) > 0) return true;
    for (let bin = 0; bin < this.#bins; bin++) {
      if (this.#fields.word(id, this.#own + bin) !== 0) return true;
    }
    return false;
  }

  isHeld(): boolean {
    return false;
  }

  weight(id: number): number {
    let hits = this.#leak > 0 ? this.#checkpointLevel(id) / LEVEL_SCALE : 0;
    for (let bin = 0; bin < this.#bins; bin++) hits += this.#hitsIn(id, bin);
    return hits;
  }

  isAdmissible(component: Component, _now: number, clusterNow: number): boolean {
    this.#turnTo(clusterNow);
    const slot = component.place;
    return slot > this.#slot - this.#slots && slot <= this.#slot + this.#ahead;
  }

  join(id: number, component: Component, _now: number, clusterNow: number): boolean {
    this.read(id, clusterNow);
    const ring = this.#rings.obtain(id, component.replica, component.generation | 0, this.#slot);
    if (ring === 0) return false;
    const bin = component.place % this.#bins;
    const before = this.#rings.hits(ring, bin);
    const grew = this.#rings.raise(ring, bin, component.hits, component.refunds);
    this.#fields.addToCount(id, this.#others + bin, this.#rings.hits(ring, bin) - before);
    return grew;
  }

  emit(
    id: number,
    _now: number,
    clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    this.read(id, clusterNow);
    for (let age = this.#slots - 1; age >= 0; age--) {
      const bin = this.#binOfAge(age);
      const hits = this.#fields.count(id, this.#own + bin);
      if (hits === 0) continue;
      component.opener = SELF;
      component.place = this.#slot - age;
      component.hits = hits;
      component.refunds = this.#refundsIn(id, bin);
      component.refusals = 0;
      visit(component);
    }
  }

  refersTo(id: number, mark: (replica: number) => void): void {
    const rings = this.#rings;
    for (let ring = rings.first(id); ring !== 0; ring = rings.next(ring)) mark(rings.replica(ring));
  }

  /** A bucket's level after the newest slot that has been folded away. */
  checkpoint(id: number, clusterNow: number): Checkpoint {
    this.read(id, clusterNow);
    return {
      slot: this.#slot - this.#slots,
      level: this.#checkpointLevel(id),
      exact: (this.#fields.word(id, SLOT_HIGH) & EXACT) !== 0,
    };
  }

  /** Merges another replica's checkpoint; returns whether it was better than ours. */
  joinCheckpoint(id: number, heard: Checkpoint, clusterNow: number): boolean {
    const own = this.checkpoint(id, clusterNow);
    if (heard.slot > this.#slot + this.#ahead) return false;
    if (heard.slot <= own.slot) {
      // The hits of the slots between are folded away here: what is left is a lower bound.
      const gap = own.slot - heard.slot;
      const level = drain(heard.level, this.#leak, gap);
      const forward = { slot: own.slot, level, exact: heard.exact && gap === 0 };
      const better = betterCheckpoint(own, forward);
      if (better === own) return false;
      this.#setCheckpoint(id, better.level, better.exact);
      return true;
    }
    // Fold ours forward, and choose the start that leads to theirs if theirs is the better one.
    let level = own.level;
    let change = 0;
    for (let slot = own.slot + 1; slot <= heard.slot; slot++) {
      const hits = this.#hitsIn(id, slot % this.#bins) * LEVEL_SCALE;
      level = foldSlot(level, this.#leak, hits);
      change += hits - this.#leak;
    }
    const forward = { slot: heard.slot, level, exact: false };
    if (betterCheckpoint(forward, heard) === forward || heard.level === level) return false;
    this.#setCheckpoint(id, Math.max(0, heard.level - change), false);
    return true;
  }

  #turnTo(clusterNow: number): void {
    if (clusterNow < this.slotEndsAt && clusterNow >= this.#slotStartsAt && this.#slot >= 0) return;
    this.#slot = Math.floor(clusterNow / this.#slotMs);
    this.#slotStartsAt = this.#slot * this.#slotMs;
    this.slotEndsAt = this.#slotStartsAt + this.#slotMs;
    this.#bin = this.#slot % this.#bins;
  }

  /** Turns a record's rings to the current slot; what leaves a bucket's rings goes into its level. */
  #align(id: number): void {
    const high = this.#fields.word(id, SLOT_HIGH);
    const slot = (high & SLOT_HIGH_MASK) * TWO_32 + (this.#fields.word(id, SLOT_LOW) >>> 0);
    if (slot === this.#slot) return;
    let exact = high & EXACT;
    if ((high & SLOT_HIGH_MASK) !== UNSET) {
      if (!this.#isFinal(this.#slot - this.#slots)) exact = 0;
      // After a step back of the clock nothing lies in the right bin, so everything leaves.
      this.#turn(id, slot, slot < this.#slot ? this.#slot - slot : this.#bins);
      if (slot > this.#slot) this.#rings.clear(id);
    }
    this.#fields.setWord(id, SLOT_HIGH, Math.floor(this.#slot / TWO_32) | exact);
    this.#fields.setWord(id, SLOT_LOW, this.#slot | 0);
  }

  #turn(id: number, slot: number, turns: number): void {
    const steps = Math.min(turns, this.#bins);
    let level = this.#leak > 0 ? this.#checkpointLevel(id) : 0;
    let bin = (slot + this.#ahead + 1) % this.#bins;
    for (let step = 0; step < steps; step++) {
      if (this.#leak > 0) {
        level = foldSlot(level, this.#leak, this.#hitsIn(id, bin) * LEVEL_SCALE);
      }
      this.#fields.setCount(id, this.#own + bin, 0);
      if (this.#others !== 0) this.#fields.setCount(id, this.#others + bin, 0);
      if (this.#refunds.size !== 0) this.#refunds.delete(id * this.#bins + bin);
      bin = bin + 1 === this.#bins ? 0 : bin + 1;
    }
    if (this.#leak > 0) {
      this.#setCheckpointLevel(id, drain(level, this.#leak, turns - steps));
    }
  }

  /** Whether every replica alive has said that it will add nothing to `slot` any more. */
  #isFinal(slot: number): boolean {
    if (this.#replicas.aliveCount === 1) return true;
    return this.#replicas.leastFinalUntilMs() >= (slot + 1) * this.#slotMs;
  }

  #readHits(id: number): void {
    let hits = 0;
    for (let bin = 0; bin < this.#bins; bin++) hits += this.#hitsIn(id, bin);
    this.trailing = this.#hitsIn(id, this.#binOfAge(this.#slots - 1));
    this.hits = hits - this.trailing;
  }

  #readLevel(id: number): void {
    let level = this.#checkpointLevel(id);
    for (let age = this.#slots - 1; age >= 0; age--) {
      const hits = this.#hitsIn(id, this.#binOfAge(age));
      level = foldSlot(level, this.#leak, hits * LEVEL_SCALE);
    }
    if (this.#ahead !== 0) level += this.#hitsIn(id, this.#binOfAge(-1)) * LEVEL_SCALE;
    this.level = level;
  }

  /** All replicas' hits in one bin, less refunds. */
  #hitsIn(id: number, bin: number): number {
    let hits = this.#fields.count(id, this.#own + bin);
    if (this.#others !== 0) hits += this.#fields.count(id, this.#others + bin);
    if (this.#refunds.size !== 0) hits -= this.#refundsIn(id, bin);
    return hits;
  }

  #refundsIn(id: number, bin: number): number {
    return this.#refunds.get(id * this.#bins + bin) ?? 0;
  }

  #hasHits(id: number): boolean {
    for (let bin = 0; bin < this.#bins; bin++) {
      if (this.#fields.word(id, this.#own + bin) !== 0) return true;
      if (this.#others !== 0 && this.#fields.word(id, this.#others + bin) !== 0) return true;
    }
    // Hits given back still count for something: against reports that are older than the refund.
    const rings = this.#rings;
    for (let ring = rings.first(id); ring !== 0; ring = rings.next(ring)) {
      rings.turn(ring, this.#slot);
      if (rings.isUsed(ring)) return true;
    }
    return false;
  }

  /** The bin of the slot that is `age` slots old; -1 is the next slot. */
  #binOfAge(age: number): number {
    const bin = this.#bin - age;
    if (bin < 0) return bin + this.#bins;
    return bin >= this.#bins ? bin - this.#bins : bin;
  }

  #ticketOfSlot(id: number, slot: number): number {
    return ticketOf(this.#fields.generation(id), Math.floor(slot / TWO_32), slot | 0);
  }

  #checkpointLevel(id: number): number {
    floatWords[0] = this.#fields.word(id, LEVEL_LOW);
    floatWords[1] = this.#fields.word(id, LEVEL_HIGH);
    return float[0]!;
  }

  #setCheckpointLevel(id: number, level: number): void {
    float[0] = level;
    this.#fields.setWord(id, LEVEL_LOW, floatWords[0]!);
    this.#fields.setWord(id, LEVEL_HIGH, floatWords[1]!);
  }

  #setCheckpoint(id: number, level: number, exact: boolean): void {
    this.#setCheckpointLevel(id, level);
    const high = this.#fields.word(id, SLOT_HIGH) & SLOT_HIGH_MASK;
    this.#fields.setWord(id, SLOT_HIGH, high | (exact ? EXACT : 0));
  }
}

/** Words that the shape takes in a record. */
export function gridShapeWords(options: GridShapeOptions): number {
  const bins = options.slots + (options.shared ? 1 : 0);
  const rings = options.shared ? 2 : 1;
  return (options.leak > 0 ? LEVEL_HIGH + 1 : CHAIN + 1) + bins * rings;
}

/**
 * The least elapsed part of a slot, in whole ms, after which `trailing × (width - elapsed) / width`
 * is at most `room`.
 */
function elapsedUntilFits(trailing: number, room: number, width: number): number {
  if (trailing <= 0) return 0;
  let left = Math.min(width, Math.floor((room * width) / trailing));
  // One division may round across a whole number.
  if (left < width && (left + 1) * trailing <= room * width) left++;
  if (left * trailing > room * width) left--;
  return width - left;
}
