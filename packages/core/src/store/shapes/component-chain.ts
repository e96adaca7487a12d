/**
 * The components of one key and policy that are not in the key's record.
 *
 * These are the counts of other replicas, and own counts in windows that are not the newest.
 *
 *     | next | replica, opener | generation | period high | low | hits | refusals, refunds |
 */

import type { Component } from "../../crdt/component.ts";
import { SELF } from "../replicas/replicas.ts";
import type { ComponentVisitor } from "../table/entry.ts";
import { type RecordPool, WIDE } from "../table/record-pool.ts";
import { Chain, GENERATION, LINK_WORDS, NEXT, WHO } from "./chain.ts";

const PERIOD: number = LINK_WORDS;
const HITS: number = PERIOD + 2;
const COUNTED: number = HITS + 1;

const TWO_32 = 2 ** 32;
/**
 * A component found behind this many others moves forward by one: some are looked up often, others
 * never again.
 */
const NEAR = 8;

/**
 * What a component counts beside hits, in a word of its own; only permits have frequent refunds.
 */
export type SecondCount = "none" | "refusals" | "refunds";

export class ComponentChain extends Chain {
  readonly #second: SecondCount;
  readonly #refunds = new Map<number, number>();
  /** Own components that have changed since they were last published. */
  readonly #unsent = new Set<number>();
  /** Keeps the reads of `touch` from being optimised away. */
  touched = 0;

  constructor(records: RecordPool, headWord: number, second: SecondCount) {
    super(records, headWord, second === "none" ? COUNTED : COUNTED + 1, (link) => {
      if (this.#refunds.size !== 0) this.#refunds.delete(link);
      if (this.#unsent.size !== 0) this.#unsent.delete(link);
    });
    this.#second = second;
  }

  period(link: number): number {
    return this.pool.long(link, PERIOD);
  }

  hits(link: number): number {
    return this.pool.count(link, HITS);
  }

  refunds(link: number): number {
    if (this.#second === "refunds") return this.pool.count(link, COUNTED);
    return this.#refunds.size === 0 ? 0 : (this.#refunds.get(link) ?? 0);
  }

  /** Hits that have not been refunded or released. */
  held(link: number): number {
    return this.hits(link) - this.refunds(link);
  }

  refusals(link: number): number {
    return this.#second === "refusals" ? this.pool.count(link, COUNTED) : 0;
  }

  /** Reads the first components of some keys, to load them into the processor's cache. */
  touch(ids: Int32Array, count: number): void {
    let touched = 0;
    for (let at = 0; at < count; at++) {
      const id = ids[at]!;
      const link = id === 0 ? 0 : this.first(id);
      if (link !== 0) touched ^= this.pool.word(link, WHO);
    }
    this.touched = touched;
  }

  /**
   * Raises the hits of a known component, if nothing else of it is counted and they are few.
   * Returns the increase, otherwise 0.
   *
   * @param first the key's first component: the only one when there is one other replica
   */
  grow(id: number, first: number, component: Readonly<Component>): number {
    let link = first;
    let more = this.#moreHits(first, component);
    if (more <= 0) {
      const { replica, generation, opener, period } = component;
      link = this.find(id, replica, generation, opener, period);
      if (link !== 0) more = this.#moreHits(link, component);
      if (more <= 0) return 0;
    }
    const { pool } = this;
    pool.take(link);
    pool.chunk[pool.start + HITS]! += more;
    return more;
  }

  /**
   * How many more hits a component has than a link of the same identity; 0 if the identity differs.
   */
  #moreHits(link: number, component: Readonly<Component>): number {
    const { pool } = this;
    pool.take(link);
    const { chunk, start } = pool;
    const { period } = component;
    const isSame =
      chunk[start + WHO] === (component.replica | (component.opener << 16)) &&
      chunk[start + GENERATION] === (component.generation | 0) &&
      chunk[start + PERIOD + 1] === (period | 0) &&
      chunk[start + PERIOD] === Math.floor(period / TWO_32);
    const isOnlyHits = component.refunds === 0 && component.refusals === 0;
    if (!isSame || !isOnlyHits || component.hits >= WIDE || chunk[start + HITS] === WIDE) return 0;
    return component.hits - chunk[start + HITS]!;
  }

  /** The component with this identity, or 0. */
  find(id: number, replica: number, generation: number, opener: number, period: number): number {
    const { pool } = this;
    const who = replica | (opener << 16);
    let before = 0;
    let twoBefore = 0;
    let passed = 0;
    for (let link = this.first(id); link !== 0; passed++) {
      pool.take(link);
      const { chunk, start } = pool;
      if (
        chunk[start + WHO] === who &&
        chunk[start + GENERATION] === (generation | 0) &&
        chunk[start + PERIOD + 1] === (period | 0) &&
        this.period(link) === period
      ) {
        if (passed > NEAR) this.#exchange(twoBefore, before, link);
        return link;
      }
      twoBefore = before;
      before = link;
      link = chunk[start + NEXT]!;
    }
    return 0;
  }

  /** Swaps a link with its predecessor. */
  #exchange(twoBefore: number, before: number, link: number): void {
    this.pool.setWord(before, NEXT, this.next(link));
    this.pool.setWord(link, NEXT, before);
    this.pool.setWord(twoBefore, NEXT, link);
  }

  /** Adds an empty component after `find` found none; returns 0 when there is no room. */
  add(id: number, replica: number, generation: number, opener: number, period: number): number {
    const link = this.hasRoomFor(id, replica) ? this.push(id, replica, generation, opener) : 0;
    if (link === 0) return 0;
    this.setPeriod(link, period);
    if (replica === SELF) this.#unsent.add(link);
    return link;
  }

  setPeriod(link: number, period: number): void {
    this.pool.setLong(link, PERIOD, period);
  }

  /** Keeps the larger of each count; returns whether any has grown. */
  raise(link: number, hits: number, refunds: number, refusals: number): boolean {
    let grew = false;
    if (hits > this.hits(link)) {
      this.pool.setCount(link, HITS, hits);
      grew = true;
    }
    if (refunds > this.refunds(link)) {
      if (this.#second === "refunds") this.pool.setCount(link, COUNTED, refunds);
      else this.#refunds.set(link, refunds);
      grew = true;
    }
    if (this.#second === "refusals" && refusals > this.refusals(link)) {
      this.pool.setCount(link, COUNTED, refusals);
      grew = true;
    }
    if (grew && this.replica(link) === SELF) this.#unsent.add(link);
    return grew;
  }

  /** Removes all components of all keys; the head words are cleared by the caller. */
  clearAll(): void {
    this.pool.clear();
    this.#refunds.clear();
    this.#unsent.clear();
  }

  /** Whether any component belongs to a replica. */
  hasOf(id: number, replica: number): boolean {
    let link = this.first(id);
    while (link !== 0 && this.replica(link) !== replica) link = this.next(link);
    return link !== 0;
  }

  /** Copies counts and identity into `component`. */
  describe(link: number, component: Component): void {
    component.replica = this.replica(link);
    if (component.replica !== SELF) component.generation = this.generation(link) >>> 0;
    component.opener = this.opener(link);
    component.period = this.period(link);
    component.hits = this.hits(link);
    component.refunds = this.refunds(link);
    component.refusals = this.refusals(link);
  }

  /**
   * Visits the components of a replica; in a flush, only own ones that changed since the last
   * frame.
   */
  show(
    id: number,
    replica: number,
    component: Component,
    visit: ComponentVisitor,
    isFlush = false,
  ): void {
    if (isFlush && this.#unsent.size === 0) return;
    for (let link = this.first(id); link !== 0; link = this.next(link)) {
      if (this.replica(link) !== replica || (isFlush && !this.#unsent.delete(link))) continue;
      this.describe(link, component);
      visit(component);
    }
  }
}
