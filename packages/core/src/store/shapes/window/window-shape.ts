/**
 * Windows that open with a key's first hit and are shared by every replica that receives them.
 *
 * A window is identified by its opener and its opening time on the opener's clock, and is published
 * unchanged. The record holds one live window and this replica's hits in it. Every other component
 * that counts is in the chain, including own ones of an older window. The sum over the chain is
 * cached until the first of its windows ends, so a decision reads the record alone.
 */

import type { Component } from "../../../crdt/component.ts";
import { NO_REPLICA, type Replicas, SELF } from "../../replicas/replicas.ts";
import { type ComponentVisitor, GENERATION, type Shape, type Timing } from "../../table/entry.ts";
import { type RecordPool, WIDE } from "../../table/record-pool.ts";
import { ticketOf } from "../../table/ticket.ts";
import { NO_CHAIN } from "../chain.ts";
import { ComponentChain } from "../component-chain.ts";
import type { Rule } from "../make-rule.ts";
import {
  CHAIN,
  HITS,
  LEAD,
  OPENED_LOW,
  OTHERS,
  OTHERS_UNTIL,
  WINDOW,
  WindowRecord,
  type WindowRecordOptions,
  windowWord,
} from "./window-record.ts";
import { type WindowSpan, WindowSuccession } from "./window-succession.ts";

const TWO_32 = 2 ** 32;

export interface WindowShapeOptions extends WindowSpan, WindowRecordOptions {}

export class WindowShape implements Shape, Rule<number> {
  readonly periodKind = "window";
  readonly endsWithReset = true;
  readonly scale = 1;
  readonly slack = 0;
  readonly maxWaitMs = 0;

  // What the last `read` saw in live windows.
  usedUnits = 0;
  refusals = 0;
  #id = 0;
  #now = 0;
  /** When the newest live window ends; 0 when none is live. */
  #endsAt = 0;

  readonly base: number;
  readonly windowMs: number;
  readonly shared: boolean;
  readonly refunds: ReadonlyMap<number, number>;
  readonly #records: RecordPool;
  readonly #replicas: Replicas;
  readonly #spreadMs: number;
  readonly #countsRefusals: boolean;
  readonly #record: WindowRecord;
  readonly #chain: ComponentChain;
  readonly #succession: WindowSuccession;

  constructor(records: RecordPool, replicas: Replicas, base: number, options: WindowShapeOptions) {
    this.base = base;
    this.windowMs = options.windowMs;
    this.shared = options.shared;
    this.#records = records;
    this.#replicas = replicas;
    this.#spreadMs = options.spreadMs;
    this.#countsRefusals = options.countsRefusals;
    this.#record = new WindowRecord(records, base, options);
    this.refunds = this.#record.refunds;
    this.#chain = new ComponentChain(
      records,
      options.shared ? base + CHAIN : NO_CHAIN,
      options.countsRefusals ? "refusals" : "none",
    );
    this.#succession = new WindowSuccession(this.#record, this.#chain, replicas, options);
  }

  begin(id: number): void {
    this.#record.begin(id);
  }

  read(id: number, now: number): void {
    this.#id = id;
    this.#now = now;
    this.usedUnits = 0;
    this.refusals = 0;
    this.#endsAt = 0;
    if (id === 0) return;
    const records = this.#records;
    records.take(id);
    const { chunk } = records;
    const at = records.start + this.base;
    const chained = this.shared && chunk[at + CHAIN] !== 0;
    let endsAt = this.#endOf(id, chunk, at);
    if (now >= endsAt || (chained && ((now - chunk[at + OTHERS_UNTIL]!) | 0) >= 0)) {
      if (endsAt === 0 && !chained) return;
      this.#succession.renew(id, now);
      endsAt = this.#endOf(id, chunk, at);
      if (endsAt === 0) return;
    }
    this.#endsAt = endsAt;
    const hits = chunk[at + HITS]!;
    this.usedUnits = hits === WIDE ? this.#record.hits(id) : hits;
    if (chained) this.usedUnits += this.#record.others(id);
    if (this.refunds.size !== 0) this.usedUnits -= this.refunds.get(id) ?? 0;
    if (this.#countsRefusals) {
      this.refusals = this.#record.refusals(id) + this.#record.othersRefusals(id);
    }
  }

  get openForMs(): number | undefined {
    return this.#endsAt === 0 ? undefined : this.windowMs - (this.#endsAt - this.#now);
  }

  own(id: number): number {
    return this.#endsAt === 0 ? 0 : this.#record.hits(id) - (this.refunds.get(id) ?? 0);
  }

  /** A hit opens a window if none is live. */
  get opens(): boolean {
    return this.#endsAt === 0;
  }

  msUntilAtMost(target: number): number {
    if (this.usedUnits <= target) return 0;
    const until = this.#succession.untilAtMost(this.#id, this.usedUnits, target);
    return (until === 0 ? this.#endsAt : until) - this.#now;
  }

  msUntilEmptyAfter(cost: number): number {
    if (this.#endsAt !== 0) return this.usedUnits + cost > 0 ? this.#endsAt - this.#now : 0;
    return cost > 0 ? this.windowMs : 0;
  }

  /** Counts hits in the newest live window, opened now if there is none. */
  add(id: number, cost: number): void {
    const records = this.#records;
    records.take(id);
    const { chunk } = records;
    const at = records.start + this.base;
    if (this.#endsAt === 0) this.#succession.enter(id, SELF, this.#now);
    else if (!this.#record.isNewest(id)) this.#succession.enterNewest(id, this.#now);
    const hits = chunk[at + HITS]! + cost;
    if (hits < WIDE) chunk[at + HITS] = hits;
    else this.#record.addHits(id, cost);
  }

  /** Counts a refused hit in the newest live window, if there is one. */
  refuse(id: number): void {
    if (this.#endsAt === 0) return;
    if (!this.#record.isNewest(id)) this.#succession.enterNewest(id, this.#now);
    this.#record.addRefusals(id, 1);
  }

  ticket(id: number): number {
    const records = this.#records;
    records.take(id);
    const { chunk, start } = records;
    const at = start + this.base;
    return ticketOf(chunk[start + GENERATION]!, chunk[at + WINDOW]!, chunk[at + OPENED_LOW]!);
  }

  refund(id: number, ticket: number, cost: number, now: number): number {
    this.read(id, now);
    if (this.#endsAt === 0) return 0;
    if (this.ticket(id) === ticket) {
      const refunds = this.refunds.get(id) ?? 0;
      const refunded = Math.min(cost, this.#record.hits(id) - refunds);
      if (refunded > 0) this.#record.refunds.set(id, refunds + refunded);
      return refunded;
    }
    const chain = this.#chain;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      if (chain.replica(link) !== SELF || this.#ticketOfLink(link) !== ticket) continue;
      const refunds = chain.refunds(link);
      const refunded = Math.min(cost, chain.hits(link) - refunds);
      chain.raise(link, 0, refunds + refunded, 0);
      this.#record.addOthers(id, -refunded, 0);
      return refunded;
    }
    return 0;
  }

  refresh(id: number, now: number): void {
    const isBlank = this.#record.opener(id) === NO_REPLICA && this.#chain.first(id) === 0;
    if (!isBlank) this.#succession.renew(id, now);
  }

  wipe(id: number): void {
    this.#succession.clear(id);
  }

  release(id: number): void {
    this.#chain.clear(id);
    this.#record.refunds.delete(id);
  }

  releaseAll(): void {
    this.#chain.clearAll();
    this.#record.refunds.clear();
  }

  isExpired(id: number, now: number): boolean {
    this.read(id, now);
    return this.#endsAt === 0;
  }

  isOwn(id: number, now: number): boolean {
    this.read(id, now);
    return this.#endsAt !== 0 && (this.#record.hasOwn(id) || this.#chain.hasOf(id, SELF));
  }

  weight(id: number): number {
    return this.#record.hits(id) + this.#record.others(id);
  }

  timing(component: Component, now: number): Timing {
    const start = component.period + this.#replicas.offsetMs(component.opener);
    // A window may have reached its end and still be extended by a newer one within the spread.
    if (now >= start + this.windowMs + this.#spreadMs) return "over";
    return start > now + this.windowMs ? "ahead" : "live";
  }

  touch(ids: Int32Array, count: number): void {
    this.#chain.touch(ids, count);
  }

  join(id: number, component: Component, now: number): boolean | undefined {
    const records = this.#records;
    records.take(id);
    const { chunk } = records;
    const at = records.start + this.base;
    const first = this.shared ? chunk[at + CHAIN]! : 0;
    const others = chunk[at + OTHERS]!;
    const isUpToDate = first !== 0 && ((now - chunk[at + OTHERS_UNTIL]!) | 0) < 0;
    // The usual case: more hits of a known component, while the cached sum is valid.
    if (isUpToDate && others + component.hits < WIDE && now < this.#endOf(id, chunk, at)) {
      const more = this.#chain.grow(id, first, component);
      if (more > 0) {
        chunk[at + OTHERS] = others + more;
        return true;
      }
    }
    this.read(id, now);
    return this.#succession.join(id, component, now);
  }

  emit(
    id: number,
    now: number,
    _clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
    isFlush?: boolean,
  ): void {
    this.read(id, now);
    if (this.#endsAt === 0) return;
    if (this.#record.hasOwn(id)) {
      const record = this.#record;
      component.opener = record.opener(id);
      component.period = record.openedAt(id);
      component.hits = record.hits(id);
      component.refunds = this.refunds.get(id) ?? 0;
      component.refusals = record.refusals(id);
      visit(component);
    }
    this.#chain.show(id, SELF, component, visit, isFlush);
  }

  emitRemote(
    id: number,
    replica: number,
    now: number,
    _clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    this.read(id, now);
    if (this.#endsAt !== 0) this.#chain.show(id, replica, component, visit);
  }

  refersTo(id: number, mark: (index: number) => void): void {
    mark(this.#record.opener(id));
    this.#chain.refersTo(id, mark);
  }

  /** When the newest live window ends; 0 for a record without a window. */
  #endOf(id: number, chunk: Int32Array, at: number): number {
    const window = chunk[at + WINDOW]!;
    const opener = window & NO_REPLICA;
    if (opener === NO_REPLICA) return 0;
    const openedAt = (window >>> 16) * TWO_32 + (chunk[at + OPENED_LOW]! >>> 0);
    const offsetMs = opener === SELF ? 0 : this.#replicas.offsetMs(opener);
    const leadMs = this.shared && chunk[at + LEAD] !== 0 ? this.#record.leadMs(id) : 0;
    return openedAt + offsetMs + leadMs + this.windowMs;
  }

  #ticketOfLink(link: number): number {
    const chain = this.#chain;
    const period = chain.period(link);
    return ticketOf(chain.generation(link), windowWord(chain.opener(link), period), period | 0);
  }
}
