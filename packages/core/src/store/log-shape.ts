/**
 * The times of hits, for the exact sliding log.
 *
 * Each replica's log is a running total over time on its own clock; a hit leaves the view exactly
 * one window after its time. This replica's list hangs on the record, the others' lie beside it,
 * and the sum over the others is cached until the first of their hits leaves.
 *
 *     record:        | own list | chain | others | others until |
 *     other's list:  | next | replica | generation | list |
 */

import type { Component } from "../lattice/component.ts";
import type { ComponentVisitor, Shape } from "./entry.ts";
import { RecordFields } from "./record-fields.ts";
import { RecordPool } from "./record-pool.ts";
import { type Replicas, SELF } from "./replicas.ts";
import { ticketOf } from "./ticket.ts";
import { TIME_LIST_WORDS, TimeLists } from "./time-list.ts";

const CHAIN: number = TIME_LIST_WORDS;
const OTHERS: number = CHAIN + 1;
const OTHERS_UNTIL: number = CHAIN + 2;
/** Words that the shape takes in a record. */
export const LOG_SHAPE_WORDS: number = CHAIN + 3;

const L_NEXT = 0;
const L_REPLICA = 1;
const L_GENERATION = 2;
const L_LIST = 3;

const TWO_32 = 2 ** 32;
const CACHE_MS_MAX = 2 ** 30;
/** More lists of one key than any lawful history makes. */
const LISTS_MAX = 4096;
/** The most hits a log counts at once: totals are compared by 32-bit differences. */
export const LOG_HITS_MAX: number = 2 ** 30;

/** Refunds of one list, by the time of the hits they give back. */
type Refunds = Map<number, number>;

export class LogShape implements Shape {
  readonly words: number = LOG_SHAPE_WORDS;
  readonly placeless = true;
  readonly endsWithReset = true;

  /** What the last `read` saw: hits of all replicas inside the window, less refunds. */
  hits = 0;
  /** What the last `read` saw: when the last of them leaves; 0 without any. */
  endsAt = 0;

  readonly #fields: RecordFields;
  readonly #replicas: Replicas;
  readonly #windowMs: number;
  readonly #marginMs: number;
  readonly #own: TimeLists;
  readonly #lists = new RecordPool(L_LIST + TIME_LIST_WORDS);
  readonly #theirs: TimeLists;
  readonly #refunds = new Map<number, Refunds>();
  readonly #theirRefunds = new Map<number, Refunds>();

  constructor(records: RecordPool, replicas: Replicas, base: number, windowMs: number) {
    this.#fields = new RecordFields(records, base);
    this.#replicas = replicas;
    this.#windowMs = windowMs;
    this.#marginMs = Math.floor(windowMs / 2);
    this.#own = new TimeLists(records, base);
    this.#theirs = new TimeLists(this.#lists, L_LIST);
  }

  begin(): void {}

  /** Sums up the hits inside the window at `now`; record 0 reads as a key never seen. */
  read(id: number, now: number): void {
    this.hits = 0;
    this.endsAt = 0;
    if (id === 0) return;
    const cutoff = now - this.#windowMs;
    if (this.#own.oldest(id) <= cutoff) this.#own.expire(id, cutoff);
    this.hits = this.#own.live(id);
    if (this.#refunds.size !== 0) this.hits -= refundsAfter(this.#refunds.get(id), cutoff);
    if (this.hits > 0) this.endsAt = this.#own.newest(id) + this.#windowMs;
    if (this.#fields.word(id, CHAIN) === 0) return;
    if (((now - this.#fields.word(id, OTHERS_UNTIL)) | 0) >= 0) this.refresh(id, now);
    this.hits += this.#fields.count(id, OTHERS);
    let list = this.#fields.word(id, CHAIN);
    for (; list !== 0; list = this.#lists.word(list, L_NEXT)) {
      const leaves = this.#theirs.newest(list) + this.#offsetMs(list) + this.#windowMs;
      this.endsAt = Math.max(this.endsAt, leaves);
    }
  }

  /** Counts hits at `now`. Needs a `read`. */
  add(id: number, cost: number, now: number): void {
    const room = LOG_HITS_MAX - this.#own.live(id);
    const total = this.#own.total(id) + Math.min(cost, room);
    // A clock that stands still or was told an earlier time counts at the newest time known.
    const time = Math.max(now, this.#own.newest(id));
    this.#own.learn(id, time, total, now - this.#windowMs);
  }

  /** Names the hits counted at `time`. */
  ticket(id: number, time: number): number {
    return ticketOf(this.#fields.generation(id), Math.floor(time / TWO_32), time | 0);
  }

  /** Gives back hits counted at the time named by `ticket`; returns how many, 0 if they have left. */
  refund(id: number, ticket: number, cost: number, now: number): number {
    this.read(id, now);
    let given = 0;
    let before = this.#own.base(id);
    this.#own.walk(id, (time, total) => {
      if (this.ticket(id, time) !== ticket) {
        before = total;
        return true;
      }
      const refunds = this.#refunds.get(id) ?? new Map<number, number>();
      const returned = refunds.get(time) ?? 0;
      given = Math.min(cost, ((total - before) | 0) - returned);
      if (given > 0) {
        refunds.set(time, returned + given);
        this.#refunds.set(id, refunds);
      }
      return false;
    });
    return given;
  }

  /** How long until at most `target` hits are inside the window. Needs a `read`. */
  msUntilAtMost(id: number, target: number, now: number): number {
    let excess = this.hits - target;
    if (excess <= 0) return 0;
    const leaving: { at: number; hits: number }[] = [];
    const collect = (lists: TimeLists, owner: number, offsetMs: number, refunds?: Refunds) => {
      let before = lists.base(owner);
      let missing = excess;
      lists.walk(owner, (time, total) => {
        const hits = ((total - before) | 0) - (refunds?.get(time) ?? 0);
        leaving.push({ at: time + offsetMs + this.#windowMs, hits });
        before = total;
        missing -= hits;
        return missing > 0;
      });
    };
    collect(this.#own, id, 0, this.#refunds.get(id));
    let list = this.#fields.word(id, CHAIN);
    for (; list !== 0; list = this.#lists.word(list, L_NEXT)) {
      collect(this.#theirs, list, this.#offsetMs(list), this.#theirRefunds.get(list));
    }
    if (leaving.length > 1) leaving.sort((left, right) => left.at - right.at);
    for (const { at, hits } of leaving) {
      excess -= hits;
      if (excess <= 0) return at - now;
    }
    return this.endsAt - now;
  }

  refresh(id: number, now: number): void {
    let others = 0;
    let until = now + CACHE_MS_MAX;
    for (let list = this.#fields.word(id, CHAIN); list !== 0; ) {
      const next = this.#lists.word(list, L_NEXT);
      const offsetMs = this.#offsetMs(list);
      const cutoff = now - this.#windowMs - offsetMs;
      this.#theirs.expire(list, cutoff);
      if (this.#replicas.isDropped(this.#lists.word(list, L_REPLICA))) {
        this.#removeList(id, list);
      } else {
        const oldest = this.#theirs.oldest(list);
        until = Math.min(until, oldest + offsetMs + this.#windowMs);
        others += this.#theirHits(list, cutoff);
      }
      list = next;
    }
    this.#fields.setCount(id, OTHERS, others);
    this.#fields.setWord(id, OTHERS_UNTIL, until | 0);
  }

  wipe(id: number): void {
    this.release(id);
    this.#fields.setCount(id, OTHERS, 0);
  }

  release(id: number): void {
    this.#own.clear(id);
    this.#refunds.delete(id);
    for (let list = this.#fields.word(id, CHAIN); list !== 0; ) {
      const next = this.#lists.word(list, L_NEXT);
      this.#removeList(id, list);
      list = next;
    }
  }

  isExpired(id: number, now: number): boolean {
    this.read(id, now);
    return this.#own.live(id) === 0 && this.endsAt <= now;
  }

  isOwn(id: number, now: number): boolean {
    this.read(id, now);
    return this.#own.live(id) > 0;
  }

  isHeld(): boolean {
    return false;
  }

  weight(id: number): number {
    return this.#own.live(id) + this.#fields.count(id, OTHERS);
  }

  isAdmissible(component: Component, now: number): boolean {
    const time = component.place + this.#replicas.offsetMs(component.replica);
    // A point before the window is the base that later ones are counted from.
    return time >= now - 2 * this.#windowMs - this.#marginMs && time <= now + this.#windowMs;
  }

  join(id: number, component: Component, now: number): boolean {
    const list = this.#listOf(id, component.replica, component.generation | 0);
    if (list === 0) return false;
    const cutoff = now - this.#windowMs - this.#offsetMs(list);
    let grew = this.#theirs.learn(list, component.place, component.hits, cutoff);
    if (component.refunds > 0) {
      const refunds = this.#theirRefunds.get(list) ?? new Map<number, number>();
      if (component.refunds > (refunds.get(component.place) ?? 0)) {
        refunds.set(component.place, component.refunds);
        this.#theirRefunds.set(list, refunds);
        grew = true;
      }
    }
    if (grew) this.refresh(id, now);
    return grew;
  }

  /**
   * Shows the base first, so that whoever hears it does not count what has left. It is shown well
   * before the window: a clock a little off would otherwise count all of it as hits at its edge.
   */
  emit(
    id: number,
    now: number,
    _clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    this.read(id, now);
    if (this.#own.live(id) === 0) return;
    const refunds = this.#refunds.get(id);
    component.opener = SELF;
    component.refusals = 0;
    component.place = now - this.#windowMs - this.#marginMs;
    component.hits = this.#own.base(id) >>> 0;
    component.refunds = 0;
    if (component.place >= 0) visit(component);
    this.#own.walk(id, (time, total) => {
      component.place = time;
      component.hits = total >>> 0;
      component.refunds = refunds?.get(time) ?? 0;
      visit(component);
      return true;
    });
  }

  refersTo(id: number, mark: (replica: number) => void): void {
    let list = this.#fields.word(id, CHAIN);
    for (; list !== 0; list = this.#lists.word(list, L_NEXT)) {
      mark(this.#lists.word(list, L_REPLICA));
    }
  }

  #theirHits(list: number, cutoff: number): number {
    const refunds = this.#theirRefunds.size === 0 ? undefined : this.#theirRefunds.get(list);
    return this.#theirs.live(list) - refundsAfter(refunds, cutoff);
  }

  #offsetMs(list: number): number {
    return this.#replicas.offsetMs(this.#lists.word(list, L_REPLICA));
  }

  #listOf(id: number, replica: number, generation: number): number {
    let length = 0;
    let list = this.#fields.word(id, CHAIN);
    for (; list !== 0; list = this.#lists.word(list, L_NEXT)) {
      length++;
      if (
        this.#lists.word(list, L_REPLICA) === replica &&
        this.#lists.word(list, L_GENERATION) === generation
      ) {
        return list;
      }
    }
    list = length < LISTS_MAX ? this.#lists.allocate() : 0;
    if (list === 0) return 0;
    this.#lists.setWord(list, L_NEXT, this.#fields.word(id, CHAIN));
    this.#lists.setWord(list, L_REPLICA, replica);
    this.#lists.setWord(list, L_GENERATION, generation);
    this.#fields.setWord(id, CHAIN, list);
    return list;
  }

  #removeList(id: number, removed: number): void {
    let before = 0;
    let list = this.#fields.word(id, CHAIN);
    while (list !== removed) {
      before = list;
      list = this.#lists.word(list, L_NEXT);
    }
    const next = this.#lists.word(list, L_NEXT);
    if (before === 0) this.#fields.setWord(id, CHAIN, next);
    else this.#lists.setWord(before, L_NEXT, next);
    this.#theirs.clear(list);
    this.#theirRefunds.delete(list);
    this.#lists.release(list);
  }
}

/** Refunds of hits after `cutoff`; those of hits that have left are forgotten. */
function refundsAfter(refunds: Refunds | undefined, cutoff: number): number {
  if (refunds === undefined) return 0;
  let sum = 0;
  for (const [time, returned] of refunds) {
    if (time <= cutoff) refunds.delete(time);
    else sum += returned;
  }
  return sum;
}
