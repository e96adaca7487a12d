/**
 * The times of hits, for the exact sliding log.
 *
 * Each replica's log is a running total over time on its own clock. A hit expires exactly one
 * window after its time. The own list is in this record, the others' beside it.
 *
 *     | own list | remote logs |
 */

import type { Component } from "../../../crdt/component.ts";
import { type Replicas, SELF } from "../../replicas/replicas.ts";
import type { ComponentVisitor, Shape, Timing } from "../../table/entry.ts";
import { RecordFields } from "../../table/record-fields.ts";
import type { RecordPool } from "../../table/record-pool.ts";
import { ticketAt } from "../../table/ticket.ts";
import type { Rule } from "../make-rule.ts";
import { type LogVisitor, REMOTE_LOGS_WORDS, RemoteLogs } from "./remote-logs.ts";
import { TIME_LIST_WORDS, TimeLists } from "./time-list.ts";
import { TimedRefunds } from "./timed-refunds.ts";

/** Words of a record that the shape uses. */
export const LOG_SHAPE_WORDS: number = TIME_LIST_WORDS + REMOTE_LOGS_WORDS;

/** The most hits a log counts at once: totals are compared by 32-bit differences. */
export const LOG_HITS_MAX: number = 2 ** 30;

export class LogShape implements Shape, Rule<number> {
  readonly periodKind = "instant";
  readonly endsWithReset = true;
  readonly scale = 1;
  readonly slack = 0;
  readonly maxWaitMs = 0;
  readonly refusals = 0;
  readonly opens = false;

  // What the last `read` saw inside the window.
  usedUnits = 0;
  #id = 0;
  #now = 0;

  readonly #fields: RecordFields;
  readonly #replicas: Replicas;
  readonly #windowMs: number;
  readonly #marginMs: number;
  readonly #own: TimeLists;
  readonly #refunds = new TimedRefunds();
  readonly #remote: RemoteLogs;

  constructor(records: RecordPool, replicas: Replicas, base: number, windowMs: number) {
    this.#fields = new RecordFields(records, base);
    this.#replicas = replicas;
    this.#windowMs = windowMs;
    this.#marginMs = Math.floor(windowMs / 2);
    this.#own = new TimeLists(records, base);
    this.#remote = new RemoteLogs(records, replicas, base + TIME_LIST_WORDS, windowMs);
  }

  read(id: number, now: number): void {
    this.#id = id;
    this.#now = now;
    this.usedUnits = 0;
    if (id === 0) return;
    const cutoff = now - this.#windowMs;
    if (this.#own.oldest(id) <= cutoff) this.#own.expire(id, cutoff);
    this.usedUnits = this.#own.live(id) - this.#refunds.after(id, cutoff);
    if (!this.#remote.isEmpty(id)) this.usedUnits += this.#remote.hits(id, now);
  }

  add(id: number, cost: number): void {
    const now = this.#now;
    const room = LOG_HITS_MAX - this.#own.live(id);
    const total = this.#own.total(id) + Math.min(cost, room);
    // When the clock stands still or reports an earlier time, hits count at the newest known time.
    const time = Math.max(now, this.#own.newest(id));
    this.#own.learn(id, time, total, now - this.#windowMs);
  }

  refuse(): void {}

  /** Identifies the hits counted at `time`. */
  ticket(id: number, time: number = this.#now): number {
    return ticketAt(this.#fields.generation(id), time);
  }

  own(id: number): number {
    return this.#own.live(id);
  }

  refund(id: number, ticket: number, cost: number, now: number): number {
    this.read(id, now);
    let refunded = 0;
    let before = this.#own.base(id);
    this.#own.walk(id, (time, total) => {
      if (this.ticket(id, time) !== ticket) {
        before = total;
        return true;
      }
      const returned = this.#refunds.at(id, time);
      refunded = Math.min(cost, ((total - before) | 0) - returned);
      if (refunded > 0) this.#refunds.raise(id, time, returned + refunded);
      return false;
    });
    return refunded;
  }

  msUntilEmptyAfter(cost: number): number {
    if (cost > 0) return this.#windowMs;
    return this.usedUnits > 0 ? this.msUntilAtMost(0) : 0;
  }

  msUntilAtMost(target: number): number {
    let excess = this.usedUnits - target;
    if (excess <= 0) return 0;
    const leaving: { at: number; hits: number }[] = [];
    const collect: LogVisitor = (lists, owner, offsetMs, refunds) => {
      let before = lists.base(owner);
      let missing = excess;
      lists.walk(owner, (time, total) => {
        const hits = ((total - before) | 0) - refunds.at(owner, time);
        leaving.push({ at: time + offsetMs + this.#windowMs, hits });
        before = total;
        missing -= hits;
        return missing > 0;
      });
    };
    collect(this.#own, this.#id, 0, this.#refunds, 0);
    this.#remote.each(this.#id, collect);
    if (leaving.length > 1) leaving.sort((left, right) => left.at - right.at);
    let until = this.#now;
    for (const { at, hits } of leaving) {
      until = at;
      excess -= hits;
      if (excess <= 0) break;
    }
    return until - this.#now;
  }

  refresh(id: number, now: number): void {
    this.#remote.refresh(id, now);
  }

  wipe(id: number): void {
    this.release(id);
  }

  release(id: number): void {
    this.#own.clear(id);
    this.#refunds.delete(id);
    this.#remote.clear(id);
  }

  releaseAll(): void {
    this.#own.clearAll();
    this.#refunds.clear();
    this.#remote.clearAll();
  }

  isExpired(id: number, now: number): boolean {
    this.read(id, now);
    return this.#own.live(id) === 0 && this.#remote.endsAt(id) <= now;
  }

  isOwn(id: number, now: number): boolean {
    this.read(id, now);
    return this.#own.live(id) > 0;
  }

  weight(id: number): number {
    return this.#own.live(id) + this.#remote.sum(id);
  }

  timing(component: Component, now: number): Timing {
    const time = component.period + this.#replicas.offsetMs(component.replica);
    // A point before the window is the base from which later ones are counted.
    if (time < now - 2 * this.#windowMs - this.#marginMs) return "over";
    return time > now + this.#windowMs ? "ahead" : "live";
  }

  join(id: number, component: Component, now: number): boolean | undefined {
    return this.#remote.join(id, component, now);
  }

  emit(
    id: number,
    now: number,
    _clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    this.read(id, now);
    if (this.#own.live(id) === 0) return;
    component.opener = SELF;
    this.#show(this.#own, id, this.#refunds, now, component, visit);
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
    component.opener = replica;
    const show: LogVisitor = (lists, owner, offsetMs, refunds, generation) => {
      component.generation = generation >>> 0;
      this.#show(lists, owner, refunds, now - offsetMs, component, visit);
    };
    this.#remote.each(id, show, replica);
  }

  refersTo(id: number, mark: (replica: number) => void): void {
    this.#remote.refersTo(id, mark);
  }
  /**
   * Visits the base first, so that a receiver does not count expired hits. The base gets a time
   * well before the window: otherwise a clock error would count all of it as hits at the window's
   * edge. In the first moments of a clock there is no such time, and the earliest one is used.
   */
  #show(
    lists: TimeLists,
    owner: number,
    refunds: TimedRefunds,
    now: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    component.refusals = 0;
    component.period = Math.max(0, now - this.#windowMs - this.#marginMs);
    component.hits = lists.base(owner) >>> 0;
    component.refunds = 0;
    if (component.period > 0 || component.hits > 0) visit(component);
    lists.walk(owner, (time, total) => {
      component.period = time;
      component.hits = total >>> 0;
      component.refunds = refunds.at(owner, time);
      visit(component);
      return true;
    });
  }
}
