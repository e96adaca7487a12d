/**
 * Hits counted in slots of equal width: the last few slots, or the level of a bucket.
 *
 * A sliding window reads the sum of the slots and the oldest slot apart, because only a part of the
 * oldest is still inside the window. A bucket starts from its folded level and adds the slots that
 * follow.
 */

import type { Checkpoint } from "../../../crdt/checkpoint.ts";
import type { Component } from "../../../crdt/component.ts";
import { type Replicas, SELF } from "../../replicas/replicas.ts";
import {
  type ComponentVisitor,
  GENERATION,
  type Shape,
  type StepTime,
  type Timing,
} from "../../table/entry.ts";
import type { RecordPool } from "../../table/record-pool.ts";
import { ticketAt } from "../../table/ticket.ts";
import type { Rule } from "../make-rule.ts";
import { PublishedLevels } from "./published-levels.ts";
import type { SlotBins } from "./slot-bins.ts";
import { SlotFloors } from "./slot-floors.ts";
import { LEVEL_SCALE, SlotGrid, type SlotGridOptions, type SlotTime } from "./slot-grid.ts";

/** Levels closer than this are equal: the sum of rounding errors of fractional rates. */
const LEVEL_SLACK = 1e-6;

export class GridShape implements Shape, Rule<number> {
  readonly periodKind = "slot";
  readonly endsWithReset = true;
  readonly folds: boolean;
  /**
   * Sliding window: a hit is as many units as a slot has milliseconds, so a part of a slot is a
   * whole number.
   */
  readonly scale: number;
  readonly slack: number;
  /** The next limiter of the store may have another one. */
  maxWaitMs = 0;
  readonly refusals = 0;
  readonly opens = false;

  // What the last `read` saw.
  /** Sliding window: parts of the hits. Bucket: the level. */
  usedUnits = 0;
  /** Sliding window: hits in all slots but the trailing one. */
  #hits = 0;
  /** Sliding window: hits in the oldest slot that is kept. */
  #trailing = 0;
  #id = 0;
  #clusterNow = 0;

  readonly #records: RecordPool;
  readonly #grid: SlotGrid;
  readonly #time: SlotTime;
  readonly #bins: SlotBins;
  readonly #floors: SlotFloors | null;
  readonly #publishedLevels: PublishedLevels;
  readonly #leak: number;
  readonly #slotMs: number;
  readonly #slots: number;
  readonly #ahead: number;
  readonly #binCount: number;

  constructor(records: RecordPool, replicas: Replicas, base: number, options: SlotGridOptions) {
    this.#records = records;
    this.#grid = new SlotGrid(records, replicas, base, options);
    this.#publishedLevels = new PublishedLevels(this.#grid, options.published);
    this.#time = this.#grid.time;
    this.#bins = this.#grid.bins;
    this.folds = options.leak > 0;
    this.scale = this.folds ? LEVEL_SCALE : options.slotMs;
    this.slack = this.folds ? LEVEL_SLACK : 0;
    this.#floors = this.folds && options.shared ? new SlotFloors(replicas, options.slotMs) : null;
    this.#leak = options.leak;
    this.#slotMs = options.slotMs;
    this.#slots = options.slots;
    this.#ahead = this.#grid.ahead;
    this.#binCount = options.slots + this.#ahead;
  }

  begin(id: number): void {
    this.#grid.begin(id);
  }

  read(id: number, _now: number, clusterNow: number): void {
    this.#id = id;
    this.#clusterNow = clusterNow;
    this.#time.turnTo(clusterNow);
    this.usedUnits = 0;
    this.#hits = 0;
    this.#trailing = 0;
    if (id === 0) return;
    if (this.folds && this.#ahead === 0) {
      this.usedUnits = this.#grid.levelNow(id);
      if (this.usedUnits >= 0) return;
    }
    this.#grid.align(id);
    if (this.folds) this.#readLevel(id);
    else this.#readHits(id);
  }

  msUntilAtMost(target: number): number {
    if (this.folds) return this.#msUntilLevel(this.usedUnits, target);
    return this.#msUntilHits(target / this.scale);
  }

  msUntilEmptyAfter(cost: number): number {
    if (this.folds) return this.#msUntilLevel(this.usedUnits + cost * LEVEL_SCALE, 0);
    if (cost === 0) return this.usedUnits === 0 ? 0 : this.#msUntilHits(0);
    return this.#time.endsAt + (this.#slots - 1) * this.#slotMs - this.#clusterNow;
  }

  add(id: number, cost: number): void {
    this.#grid.align(id);
    this.#bins.add(id, this.#time.bin, cost);
  }

  refuse(): void {}

  ticket(id: number): number {
    return this.#ticketOfSlot(id, this.#time.slot);
  }

  /** Sliding window alone: in all slots, also those of which only a part counts. */
  own(id: number): number {
    let own = 0;
    for (let bin = 0; bin < this.#binCount; bin++) own += this.#bins.own(id, bin);
    return own;
  }

  /** A bucket that is not replicated also refunds from its level, while the hit is still in it. */
  refund(
    id: number,
    ticket: number,
    cost: number,
    _now: number,
    clusterNow: number,
    isHeld: boolean,
  ): number {
    this.#time.turnTo(clusterNow);
    this.#grid.align(id);
    for (let age = -this.#ahead; age < this.#slots; age++) {
      if (this.#ticketOfSlot(id, this.#time.slot - age) !== ticket) continue;
      return this.#bins.give(id, this.#time.binOfAge(age), cost);
    }
    if (!this.folds || this.#ahead === 1 || !isHeld) return 0;
    const level = this.#grid.level(id);
    const given = Math.min(cost * LEVEL_SCALE, level);
    this.#grid.setLevel(id, level - given);
    return Math.ceil(given / LEVEL_SCALE);
  }

  /** How long until at most `target` hits are left in a sliding window. */
  #msUntilHits(target: number): number {
    const id = this.#id;
    const clusterNow = this.#clusterNow;
    const width = this.#slotMs;
    let full = this.#hits;
    let trailing = this.#trailing;
    let startsAt = this.#time.startsAt;
    for (let age = this.#slots - 2; age >= 0; age--) {
      if (full <= target) {
        const passed = Math.max(0, clusterNow - startsAt);
        const elapsed = Math.max(passed, elapsedUntilFits(trailing, target - full, width));
        if (elapsed < width) return startsAt + elapsed - clusterNow;
      }
      trailing = id === 0 ? 0 : this.#bins.hits(id, this.#time.binOfAge(age));
      full -= trailing;
      startsAt += width;
    }
    const elapsed = elapsedUntilFits(trailing, target - full, width);
    return startsAt + elapsed - clusterNow;
  }

  /** How long until a bucket at `level` falls to `target`. */
  #msUntilLevel(level: number, target: number): number {
    if (level <= target + LEVEL_SLACK) return 0;
    const slots = Math.ceil((level - target - LEVEL_SLACK) / this.#leak);
    return this.#time.endsAt + (slots - 1) * this.#slotMs - this.#clusterNow;
  }

  refresh(id: number, _now: number, clusterNow: number): void {
    this.#time.turnTo(clusterNow);
    this.#grid.align(id);
    this.#grid.refresh(id);
  }

  wipe(id: number): void {
    this.#grid.wipe(id);
  }

  release(id: number): void {
    this.#grid.release(id);
  }

  releaseAll(): void {
    this.#grid.releaseAll();
  }

  isExpired(id: number, now: number, clusterNow: number): boolean {
    this.read(id, now, clusterNow);
    if (this.usedUnits !== 0) return false;
    this.#grid.align(id);
    return !this.#grid.isUsed(id);
  }

  isOwn(id: number, now: number, clusterNow: number): boolean {
    this.read(id, now, clusterNow);
    return (this.folds && this.#grid.level(id) > 0) || this.#bins.hasOwn(id);
  }

  weight(id: number): number {
    let hits = this.folds ? this.#grid.level(id) / LEVEL_SCALE : 0;
    for (let bin = 0; bin < this.#binCount; bin++) hits += this.#bins.hits(id, bin);
    return hits;
  }

  timing(component: Component, now: number, clusterNow: number): Timing {
    this.#time.turnTo(clusterNow);
    const timing = this.#grid.timing(component.period);
    return timing === "live" && this.#floors?.isFolded(component, now) === true ? "over" : timing;
  }

  join(id: number, component: Component, now: number, clusterNow: number): boolean | undefined {
    this.read(id, now, clusterNow);
    this.#floors?.received(component.replica, component.generation, component.period);
    return this.#publishedLevels.contain(id, component.period)
      ? false
      : this.#grid.join(id, component);
  }

  emit(
    id: number,
    _now: number,
    clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    this.#time.turnTo(clusterNow);
    this.#grid.align(id);
    // After the clock steps back, own hits may be in the next slot.
    for (let age = this.#slots - 1; age >= -this.#ahead; age--) {
      const bin = this.#time.binOfAge(age);
      const hits = this.#bins.own(id, bin);
      if (hits === 0) continue;
      component.opener = SELF;
      component.period = this.#time.slot - age;
      component.hits = hits;
      component.refunds = this.#bins.refunds(id, bin);
      component.refusals = 0;
      visit(component);
    }
  }

  emitRemote(
    id: number,
    replica: number,
    _now: number,
    clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    this.#time.turnTo(clusterNow);
    this.#grid.align(id);
    this.#grid.emitRemote(id, replica, component, visit);
  }

  refersTo(id: number, mark: (replica: number) => void): void {
    this.#grid.refersTo(id, mark);
  }

  get generationMin(): number {
    return this.#floors === null ? 0 : this.#floors.generation;
  }

  stepBack(generation: number, clusterBefore: number, storeState: StepTime): void {
    this.#floors?.step(generation, clusterBefore, storeState);
  }

  foldAll(id: number, clusterNow: number): void {
    this.#time.turnTo(clusterNow);
    this.#grid.foldAll(id);
  }

  disown(former: number, generation: number, clusterNow: number): void {
    this.#floors?.disown(former, generation, clusterNow);
  }

  /** A bucket's level after the newest slot whose hits are final. */
  checkpoint(id: number, clusterNow: number): Checkpoint {
    this.#time.turnTo(clusterNow);
    return this.#publishedLevels.of(id);
  }

  /** Merges another replica's checkpoint; returns whether it changed the local one. */
  joinCheckpoint(id: number, received: Checkpoint, clusterNow: number): boolean {
    this.#time.turnTo(clusterNow);
    const hasChanged = this.#publishedLevels.join(id, received);
    if (hasChanged) this.#floors?.receivedLevel(received.slot);
    return hasChanged;
  }

  #readHits(id: number): void {
    let hits = 0;
    for (let bin = 0; bin < this.#binCount; bin++) hits += this.#bins.hits(id, bin);
    this.#trailing = this.#bins.hits(id, this.#time.binOfAge(this.#slots - 1));
    this.#hits = hits - this.#trailing;
    this.usedUnits =
      this.#hits * this.scale + this.#trailing * (this.#time.endsAt - this.#clusterNow);
  }

  #readLevel(id: number): void {
    const grid = this.#grid;
    let level = grid.level(id);
    for (let age = this.#slots - 1; age >= 0; age--) {
      level = grid.levelAfter(level, this.#bins.hits(id, this.#time.binOfAge(age)));
    }
    if (this.#ahead !== 0) level += this.#bins.hits(id, this.#time.binOfAge(-1)) * LEVEL_SCALE;
    this.usedUnits = level;
  }

  #ticketOfSlot(id: number, slot: number): number {
    const generation = Math.max(this.#records.word(id, GENERATION) >>> 0, this.generationMin);
    return ticketAt(generation, slot);
  }
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
