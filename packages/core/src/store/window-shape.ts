/**
 * Windows that open with a key's first hit and are shared by every replica that hears of them.
 *
 * A window is named by who opened it and when, on the opener's clock, and travels verbatim. The
 * record holds the newest live window and this replica's hits in it; everything else that counts,
 * an own component in an older window included, is in the chain. The sum over the chain is cached
 * until the first of its windows ends, so a decision reads the record alone.
 *
 *     | opener, opened high | opened low | hits | chain | others | others until | refusals, others' refusals |
 *                                               └────── in a cluster ─────┘
 */

import type { Component } from "../lattice/component.ts";
import { ComponentChain, NO_CHAIN } from "./component-chain.ts";
import { type ComponentVisitor, GENERATION, type Shape } from "./entry.ts";
import { RecordFields } from "./record-fields.ts";
import { type RecordPool, WIDE } from "./record-pool.ts";
import { NOBODY, type Replicas, SELF } from "./replicas.ts";
import { ticketOf } from "./ticket.ts";

export const WINDOW = 0;
export const OPENED_LOW = 1;
export const HITS = 2;
// In a cluster, before what counts refusals:
const CHAIN = 3;
const OTHERS = 4;
const OTHERS_UNTIL = 5;
const SHARED_WORDS = 3;

const TWO_32 = 2 ** 32;
/** A cached sum is trusted at most this long, because its end is kept as 32 bits. */
const CACHE_MS_MAX = 2 ** 30;

export interface WindowShapeOptions {
  readonly windowMs: number;
  /** Windows that opened within this time of the newest end together with it. */
  readonly spreadMs: number;
  /** Whether refused hits are counted beside the others. */
  readonly countsRefusals: boolean;
  /** Whether other replicas' components will be joined. */
  readonly shared: boolean;
}

export class WindowShape implements Shape {
  readonly words: number;
  readonly placeless = false;
  readonly endsWithReset = true;

  // What the last `read` saw.
  /** Hits of all replicas in live windows, less refunds. */
  hits = 0;
  /** Refused hits of all replicas in live windows. */
  refusals = 0;
  /** When the newest live window ends; 0 when none is live. */
  endsAt = 0;

  readonly #records: RecordPool;
  readonly #replicas: Replicas;
  readonly #fields: RecordFields;
  readonly base: number;
  readonly windowMs: number;
  readonly #spreadMs: number;
  readonly #countsRefusals: boolean;
  readonly shared: boolean;
  readonly #refusalsWord: number;
  readonly #othersRefusals: number;
  readonly #chain: ComponentChain;
  readonly refunds: Map<number, number> = new Map();

  constructor(records: RecordPool, replicas: Replicas, base: number, options: WindowShapeOptions) {
    this.#records = records;
    this.#replicas = replicas;
    this.#fields = new RecordFields(records, base);
    this.base = base;
    this.windowMs = options.windowMs;
    this.#spreadMs = options.spreadMs;
    this.#countsRefusals = options.countsRefusals;
    this.shared = options.shared;
    this.#refusalsWord = options.shared ? CHAIN + SHARED_WORDS : CHAIN;
    this.#othersRefusals = this.#refusalsWord + 1;
    this.words = windowShapeWords(options);
    this.#chain = new ComponentChain(
      records,
      options.shared ? base + CHAIN : NO_CHAIN,
      options.countsRefusals ? "refusals" : "none",
    );
  }

  begin(id: number): void {
    this.#fields.setWord(id, WINDOW, NOBODY);
  }

  /** Sums up what is live at `now`; record 0 reads as a key never seen. */
  read(id: number, now: number): void {
    this.hits = 0;
    this.refusals = 0;
    this.endsAt = 0;
    if (id === 0) return;
    const records = this.#records;
    records.take(id);
    const { chunk } = records;
    const at = records.start + this.base;
    const chained = this.shared && chunk[at + CHAIN] !== 0;
    let endsAt = this.#endsAt(chunk, at);
    if (now >= endsAt || (chained && ((now - chunk[at + OTHERS_UNTIL]!) | 0) >= 0)) {
      if (endsAt === 0 && !chained) return;
      this.#renew(id, now);
      endsAt = this.#endsAt(chunk, at);
      if (endsAt === 0) return;
    }
    this.endsAt = endsAt;
    const hits = chunk[at + HITS]!;
    this.hits = hits === WIDE ? this.#fields.count(id, HITS) : hits;
    if (chained) this.hits += this.#fields.count(id, OTHERS);
    if (this.refunds.size !== 0) this.hits -= this.refunds.get(id) ?? 0;
    if (this.#countsRefusals) {
      this.refusals =
        this.#fields.count(id, this.#refusalsWord) + this.#fields.count(id, this.#othersRefusals);
    }
  }

  /** Counts hits in the newest live window, opened now if there is none. Needs a `read` at `now`. */
  add(id: number, cost: number, now: number): void {
    const records = this.#records;
    records.take(id);
    const { chunk } = records;
    const at = records.start + this.base;
    if (this.endsAt === 0) this.#enter(id, SELF, now);
    const hits = chunk[at + HITS]! + cost;
    if (hits < WIDE) chunk[at + HITS] = hits;
    else this.#fields.addToCount(id, HITS, cost);
  }

  /** Counts refused hits, if a window is live to count them in. Needs a `read` at `now`. */
  refuse(id: number, cost: number): void {
    if (this.endsAt !== 0) this.#fields.addToCount(id, this.#refusalsWord, cost);
  }

  /** Names the window that own hits are counted in now. */
  ticket(id: number): number {
    const records = this.#records;
    records.take(id);
    const { chunk, start } = records;
    const at = start + this.base;
    return ticketOf(chunk[start + GENERATION]!, chunk[at + WINDOW]!, chunk[at + OPENED_LOW]!);
  }

  /** Gives back hits of the window named by `ticket`; returns how many, 0 if it is over. */
  refund(id: number, ticket: number, cost: number, now: number): number {
    this.read(id, now);
    if (this.endsAt === 0) return 0;
    if (this.ticket(id) === ticket) {
      const refunds = this.refunds.get(id) ?? 0;
      const given = Math.min(cost, this.#fields.count(id, HITS) - refunds);
      if (given > 0) this.refunds.set(id, refunds + given);
      return given;
    }
    const chain = this.#chain;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      if (chain.replica(link) !== SELF || this.#ticketOfLink(link) !== ticket) continue;
      const refunds = chain.refunds(link);
      const given = Math.min(cost, chain.hits(link) - refunds);
      chain.raise(link, 0, refunds + given, 0);
      this.#fields.addToCount(id, OTHERS, -given);
      return given;
    }
    return 0;
  }

  /**
   * How long until the live windows hold at most `target`, refused hits counted `refusedWeight`
   * times. Needs a `read` at `now`.
   */
  msUntilAtMost(id: number, target: number, refusedWeight: number, now: number): number {
    let held = this.hits + refusedWeight * this.refusals;
    if (held <= target) return 0;
    if (this.#chain.first(id) === 0) return this.endsAt - now;
    const ends: { at: number; held: number }[] = [];
    let inChain = 0;
    const chain = this.#chain;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      const part = chain.hits(link) - chain.refunds(link) + refusedWeight * chain.refusals(link);
      ends.push({ at: this.#liveUntil(id, chain.opener(link), chain.place(link)), held: part });
      inChain += part;
    }
    ends.push({ at: this.endsAt, held: held - inChain });
    ends.sort((left, right) => left.at - right.at);
    for (const end of ends) {
      held -= end.held;
      if (held <= target) return end.at - now;
    }
    return this.endsAt - now;
  }

  refresh(id: number, now: number): void {
    if (this.#fields.word(id, WINDOW) !== NOBODY || this.#chain.first(id) !== 0)
      this.#renew(id, now);
  }

  wipe(id: number): void {
    this.release(id);
    this.#clearRecord(id);
  }

  release(id: number): void {
    this.#chain.clear(id);
    this.refunds.delete(id);
  }

  isExpired(id: number, now: number): boolean {
    this.read(id, now);
    return this.endsAt === 0;
  }

  isOwn(id: number, now: number): boolean {
    this.read(id, now);
    if (this.endsAt === 0) return false;
    if (this.#hasOwn(id)) return true;
    const chain = this.#chain;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      if (chain.replica(link) === SELF) return true;
    }
    return false;
  }

  isHeld(): boolean {
    return false;
  }

  weight(id: number): number {
    const others = this.shared ? this.#fields.count(id, OTHERS) : 0;
    return this.#fields.count(id, HITS) + others;
  }

  isAdmissible(component: Component, now: number): boolean {
    const start = component.place + this.#replicas.offsetMs(component.opener);
    // A window can have ended by itself and still be kept by a newer one within the spread.
    return now < start + this.windowMs + this.#spreadMs && start <= now + this.windowMs;
  }

  join(id: number, component: Component, now: number): boolean {
    this.read(id, now);
    const { replica, generation, opener, place } = component;
    const chain = this.#chain;
    const known = chain.find(id, replica, generation, opener, place);
    const link = known !== 0 ? known : this.#admit(id, component, now);
    if (link === 0) return false;
    const hits = chain.hits(link) - chain.refunds(link);
    const refusals = chain.refusals(link);
    const grew = chain.raise(link, component.hits, component.refunds, component.refusals);
    if (known === 0) {
      this.#renew(id, now);
    } else if (grew) {
      this.#fields.addToCount(id, OTHERS, chain.hits(link) - chain.refunds(link) - hits);
      if (this.#countsRefusals) {
        this.#fields.addToCount(id, this.#othersRefusals, chain.refusals(link) - refusals);
      }
    }
    return grew;
  }

  emit(
    id: number,
    now: number,
    _clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    this.read(id, now);
    if (this.endsAt === 0) return;
    if (this.#hasOwn(id)) {
      component.opener = this.#fields.word(id, WINDOW) & NOBODY;
      component.place = this.#openedAt(id);
      component.hits = this.#fields.count(id, HITS);
      component.refunds = this.refunds.get(id) ?? 0;
      component.refusals = this.#ownRefusals(id);
      visit(component);
    }
    const chain = this.#chain;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      if (chain.replica(link) !== SELF) continue;
      chain.describe(link, component);
      visit(component);
    }
  }

  refersTo(id: number, mark: (index: number) => void): void {
    mark(this.#fields.word(id, WINDOW) & NOBODY);
    const chain = this.#chain;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      mark(chain.replica(link));
      mark(chain.opener(link));
    }
  }

  /** A new link for a component whose window is live; 0 for one that is over, or when out of room. */
  #admit(id: number, component: Component, now: number): number {
    const { replica, generation, opener, place } = component;
    if (now >= this.#liveUntil(id, opener, place)) return 0;
    return this.#chain.add(id, replica, generation, opener, place);
  }

  /**
   * Finds the newest live window, lets go of what has ended, makes the record about the newest and
   * sums up the rest.
   */
  #renew(id: number, now: number): void {
    const chain = this.#chain;
    const replicas = this.#replicas;

    let newestOpener = NOBODY;
    let newestPlace = 0;
    let newestStart = Number.NEGATIVE_INFINITY;
    const consider = (opener: number, place: number): void => {
      const start = place + replicas.offsetMs(opener);
      if (now >= start + this.windowMs || start < newestStart) return;
      if (start === newestStart && !replicas.precedes(newestOpener, opener)) return;
      newestOpener = opener;
      newestPlace = place;
      newestStart = start;
    };
    const opener = this.#fields.word(id, WINDOW) & NOBODY;
    if (opener !== NOBODY) consider(opener, this.#openedAt(id));
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      if (!replicas.isDropped(chain.replica(link))) consider(chain.opener(link), chain.place(link));
    }
    if (newestOpener === NOBODY) {
      this.wipe(id);
      return;
    }

    if (opener !== newestOpener || this.#openedAt(id) !== newestPlace) {
      this.#enter(id, newestOpener, newestPlace);
    }

    let others = 0;
    let othersRefusals = 0;
    let until = now + CACHE_MS_MAX;
    for (let link = chain.first(id); link !== 0; ) {
      const next = chain.next(link);
      const ends = this.#liveUntil(id, chain.opener(link), chain.place(link));
      if (now >= ends || replicas.isDropped(chain.replica(link))) {
        chain.remove(id, link);
      } else {
        others += chain.hits(link) - chain.refunds(link);
        othersRefusals += chain.refusals(link);
        until = Math.min(until, ends);
      }
      link = next;
    }
    if (!this.shared) return;
    this.#fields.setCount(id, OTHERS, others);
    this.#fields.setWord(id, OTHERS_UNTIL, until | 0);
    if (this.#countsRefusals) {
      this.#fields.setCount(id, this.#othersRefusals, othersRefusals);
    }
  }

  /**
   * Makes the record about another window. Own hits of the one before go on in the chain, and own
   * hits that the chain has of this one come back.
   */
  #enter(id: number, opener: number, place: number): void {
    const chain = this.#chain;
    const generation = this.#fields.generation(id);
    if (this.#hasOwn(id)) {
      const before = this.#fields.word(id, WINDOW) & NOBODY;
      const link = chain.add(id, SELF, generation, before, this.#openedAt(id));
      const hits = this.#fields.count(id, HITS);
      if (link !== 0) chain.raise(link, hits, this.refunds.get(id) ?? 0, this.#ownRefusals(id));
    }
    this.#clearRecord(id);
    this.#fields.setWord(id, WINDOW, opener | (Math.floor(place / TWO_32) << 16));
    this.#fields.setWord(id, OPENED_LOW, place | 0);

    const own = chain.find(id, SELF, generation, opener, place);
    if (own === 0) return;
    this.#fields.setCount(id, HITS, chain.hits(own));
    if (chain.refunds(own) !== 0) this.refunds.set(id, chain.refunds(own));
    if (this.#countsRefusals) {
      this.#fields.setCount(id, this.#refusalsWord, chain.refusals(own));
    }
    chain.remove(id, own);
  }

  #clearRecord(id: number): void {
    for (let word = 0; word < this.words; word++) {
      if (word !== CHAIN || !this.shared) this.#fields.setCount(id, word, 0);
    }
    this.#fields.setWord(id, WINDOW, NOBODY);
    this.refunds.delete(id);
  }

  /** When a window ends here, the newest of the key lending its end to those just before it. */
  #liveUntil(id: number, opener: number, place: number): number {
    const start = place + this.#replicas.offsetMs(opener);
    const newest = this.#fields.word(id, WINDOW) & NOBODY;
    if (newest === NOBODY) return start + this.windowMs;
    const newestStart = this.#openedAt(id) + this.#replicas.offsetMs(newest);
    const together = start >= newestStart - this.#spreadMs;
    return (together ? Math.max(start, newestStart) : start) + this.windowMs;
  }

  #endsAt(chunk: Int32Array, at: number): number {
    const window = chunk[at + WINDOW]!;
    const opener = window & NOBODY;
    if (opener === NOBODY) return 0;
    const openedAt = (window >>> 16) * TWO_32 + (chunk[at + OPENED_LOW]! >>> 0);
    return openedAt + (opener === SELF ? 0 : this.#replicas.offsetMs(opener)) + this.windowMs;
  }

  #openedAt(id: number): number {
    return (
      (this.#fields.word(id, WINDOW) >>> 16) * TWO_32 + (this.#fields.word(id, OPENED_LOW) >>> 0)
    );
  }

  #hasOwn(id: number): boolean {
    return this.#fields.word(id, HITS) !== 0 || this.#ownRefusals(id) !== 0;
  }

  #ownRefusals(id: number): number {
    return this.#countsRefusals ? this.#fields.count(id, this.#refusalsWord) : 0;
  }

  #ticketOfLink(link: number): number {
    const chain = this.#chain;
    const place = chain.place(link);
    const window = chain.opener(link) | (Math.floor(place / TWO_32) << 16);
    return ticketOf(chain.generation(link), window, place | 0);
  }
}

/** Words that the shape takes in a record. */
export function windowShapeWords(options: WindowShapeOptions): number {
  return CHAIN + (options.shared ? SHARED_WORDS : 0) + (options.countsRefusals ? 2 : 0);
}
