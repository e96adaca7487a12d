/**
 * Windows that start at fixed instants of the cluster's time, independent of the first hit.
 *
 * The record holds the own hits of the current window and the sum of the others' hits. The chain
 * holds the others' components, including those of the next window. A replica whose clock is a
 * little ahead sends them before that window begins here. Any other period is over, or comes from a
 * wrong clock.
 *
 *     | slot high | slot low | hits | chain | others | refusals, others' refusals |
 */

import type { Component } from "../../../crdt/component.ts";
import { type Replicas, SELF } from "../../replicas/replicas.ts";
import type { ComponentVisitor, Shape, Timing } from "../../table/entry.ts";
import { RecordFields } from "../../table/record-fields.ts";
import type { RecordPool } from "../../table/record-pool.ts";
import { ticketOf } from "../../table/ticket.ts";
import { ComponentChain } from "../component-chain.ts";
import type { Rule } from "../make-rule.ts";

const SLOT = 0;
const HITS = 2;
const CHAIN = 3;
const OTHERS = 4;
const REFUSALS = 5;
const OTHERS_REFUSALS = 6;

export interface AlignedShapeOptions {
  readonly ruler: Ruler;
  /** Whether refused hits are counted too. */
  readonly countsRefusals: boolean;
}

export class AlignedShape implements Shape, Rule<number> {
  readonly periodKind = "slot";
  readonly endsWithReset = true;
  readonly scale = 1;
  readonly slack = 0;
  readonly maxWaitMs = 0;
  readonly opens = false;

  // What the last `read` saw in the current window.
  usedUnits = 0;
  refusals = 0;
  #msUntilEnd = 0;

  readonly #replicas: Replicas;
  readonly #fields: RecordFields;
  readonly #ruler: Ruler;
  readonly #countsRefusals: boolean;
  readonly #chain: ComponentChain;
  readonly #refunds = new Map<number, number>();

  constructor(records: RecordPool, replicas: Replicas, base: number, options: AlignedShapeOptions) {
    this.#replicas = replicas;
    this.#fields = new RecordFields(records, base);
    this.#ruler = options.ruler;
    this.#countsRefusals = options.countsRefusals;
    this.#chain = new ComponentChain(
      records,
      base + CHAIN,
      options.countsRefusals ? "refusals" : "none",
    );
  }

  read(id: number, _now: number, clusterNow: number, low: number): void {
    this.#ruler.at(clusterNow, low);
    this.#msUntilEnd = this.#ruler.endsAtMs - clusterNow;
    this.usedUnits = 0;
    this.refusals = 0;
    if (id === 0) return;
    if (this.#fields.long(id, SLOT) !== this.#ruler.slot) this.#turn(id);
    this.usedUnits = this.#fields.count(id, HITS) + this.#fields.count(id, OTHERS);
    if (this.#refunds.size !== 0) this.usedUnits -= this.#refunds.get(id) ?? 0;
    if (this.#countsRefusals) {
      this.refusals = this.#fields.count(id, REFUSALS) + this.#fields.count(id, OTHERS_REFUSALS);
    }
  }

  get openForMs(): number | undefined {
    const { lengthMs } = this.#ruler;
    return lengthMs === undefined ? undefined : lengthMs - this.#msUntilEnd;
  }

  msUntilAtMost(target: number): number {
    return this.usedUnits <= target ? 0 : this.#msUntilEnd;
  }

  msUntilEmptyAfter(cost: number): number {
    return this.usedUnits + cost > 0 ? this.#msUntilEnd : 0;
  }

  add(id: number, cost: number): void {
    this.#fields.addToCount(id, HITS, cost);
  }

  refuse(id: number): void {
    this.#fields.addToCount(id, REFUSALS, 1);
  }

  ticket(id: number): number {
    const fields = this.#fields;
    return ticketOf(fields.generation(id), fields.word(id, SLOT), fields.word(id, SLOT + 1));
  }

  own(id: number): number {
    return this.#fields.count(id, HITS) - (this.#refunds.get(id) ?? 0);
  }

  refund(id: number, ticket: number, cost: number, now: number, clusterNow: number): number {
    this.#readRecord(id, now, clusterNow);
    if (this.ticket(id) !== ticket) return 0;
    const refunds = this.#refunds.get(id) ?? 0;
    const refunded = Math.min(cost, this.#fields.count(id, HITS) - refunds);
    if (refunded > 0) this.#refunds.set(id, refunds + refunded);
    return refunded;
  }

  refresh(id: number, _now: number, clusterNow: number): void {
    this.#ruler.at(clusterNow, this.#fields.fingerprintLow(id));
    this.#turn(id);
  }

  wipe(id: number): void {
    this.release(id);
    const words = alignedShapeWords({ countsRefusals: this.#countsRefusals });
    for (let word = HITS; word < words; word++) {
      if (word !== CHAIN) this.#fields.setCount(id, word, 0);
    }
  }

  release(id: number): void {
    this.#chain.clear(id);
    this.#refunds.delete(id);
  }

  releaseAll(): void {
    this.#chain.clearAll();
    this.#refunds.clear();
  }

  isExpired(id: number, now: number, clusterNow: number): boolean {
    this.#readRecord(id, now, clusterNow);
    return !this.#hasOwn(id) && this.#chain.first(id) === 0;
  }

  isOwn(id: number, now: number, clusterNow: number): boolean {
    this.#readRecord(id, now, clusterNow);
    return this.#hasOwn(id);
  }

  weight(id: number): number {
    return this.#fields.count(id, HITS) + this.#fields.count(id, OTHERS);
  }

  timing(component: Component, _now: number, clusterNow: number): Timing {
    this.#ruler.at(clusterNow, component.low);
    const { slot, nextSlot } = this.#ruler;
    if (component.period === slot || component.period === nextSlot) return "live";
    return component.period < slot ? "over" : "ahead";
  }

  join(id: number, component: Component, now: number, clusterNow: number): boolean | undefined {
    this.read(id, now, clusterNow, component.low);
    const { replica, generation, period } = component;
    const chain = this.#chain;
    let link = chain.find(id, replica, generation, SELF, period);
    if (link === 0) link = chain.add(id, replica, generation, SELF, period);
    if (link === 0) return undefined;
    const hits = chain.held(link);
    const refusals = chain.refusals(link);
    const grew = chain.raise(link, component.hits, component.refunds, component.refusals);
    if (grew && period === this.#ruler.slot) {
      this.#fields.addToCount(id, OTHERS, chain.held(link) - hits);
      if (this.#countsRefusals) {
        this.#fields.addToCount(id, OTHERS_REFUSALS, chain.refusals(link) - refusals);
      }
    }
    return grew;
  }

  emit(
    id: number,
    now: number,
    clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    this.#readRecord(id, now, clusterNow);
    if (!this.#hasOwn(id)) return;
    component.opener = SELF;
    component.period = this.#fields.long(id, SLOT);
    component.hits = this.#fields.count(id, HITS);
    component.refunds = this.#refunds.get(id) ?? 0;
    component.refusals = this.#countsRefusals ? this.#fields.count(id, REFUSALS) : 0;
    visit(component);
  }

  emitRemote(
    id: number,
    replica: number,
    now: number,
    clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    this.#readRecord(id, now, clusterNow);
    this.#chain.show(id, replica, component, visit);
  }

  refersTo(id: number, mark: (replica: number) => void): void {
    this.#chain.refersTo(id, mark);
  }

  #readRecord(id: number, now: number, clusterNow: number): void {
    this.read(id, now, clusterNow, this.#fields.fingerprintLow(id));
  }

  /** Turns the record to the ruler's window and sums up the chain's components of it. */
  #turn(id: number): void {
    const { slot, nextSlot } = this.#ruler;
    if (this.#fields.long(id, SLOT) !== slot) {
      this.#fields.setCount(id, HITS, 0);
      if (this.#countsRefusals) this.#fields.setCount(id, REFUSALS, 0);
      this.#refunds.delete(id);
      this.#fields.setLong(id, SLOT, slot);
    }
    let others = 0;
    let othersRefusals = 0;
    const chain = this.#chain;
    let before = 0;
    for (let link = chain.first(id); link !== 0; ) {
      const next = chain.next(link);
      const period = chain.period(link);
      if (
        (period !== slot && period !== nextSlot) ||
        this.#replicas.isDropped(chain.replica(link))
      ) {
        chain.remove(id, link, before);
      } else {
        before = link;
        if (period === slot) {
          others += chain.held(link);
          othersRefusals += chain.refusals(link);
        }
      }
      link = next;
    }
    this.#fields.setCount(id, OTHERS, others);
    if (this.#countsRefusals) this.#fields.setCount(id, OTHERS_REFUSALS, othersRefusals);
  }

  #hasOwn(id: number): boolean {
    return (
      this.#fields.word(id, HITS) !== 0 ||
      (this.#countsRefusals && this.#fields.word(id, REFUSALS) !== 0)
    );
  }
}

/** Words of a record that the shape uses. */
export function alignedShapeWords(options: { readonly countsRefusals: boolean }): number {
  return options.countsRefusals ? OTHERS_REFUSALS + 1 : OTHERS + 1;
}

/**
 * Divides the cluster's time into aligned windows, which tile it: each starts where the one before
 * ends. The result stays in fields, because every request asks for it. A `Calendar` is one.
 */
export interface Ruler {
  /** Measures the window of `clusterNow` for the key with this low half of the fingerprint. */
  at(clusterNow: number, low: number): void;
  /** The window's number, the same on every replica. */
  readonly slot: number;
  /** The number of the window after it. */
  readonly nextSlot: number;
  /** When the window ends, in the cluster's time. */
  readonly endsAtMs: number;
  /** How long each window is, if all are equally long. */
  readonly lengthMs?: number;
}

/** Windows of one length, shifted per key so that they do not all turn at the same instant. */
export class EvenRuler implements Ruler {
  slot = 0;
  nextSlot = 0;
  endsAtMs = 0;
  readonly lengthMs: number;
  readonly #windowMs: number;

  constructor(windowMs: number) {
    this.lengthMs = windowMs;
    this.#windowMs = windowMs;
  }

  at(clusterNow: number, low: number): void {
    const phase = (low >>> 0) % this.#windowMs;
    this.slot = Math.floor((clusterNow + phase) / this.#windowMs);
    this.nextSlot = this.slot + 1;
    this.endsAtMs = this.nextSlot * this.#windowMs - phase;
  }
}
