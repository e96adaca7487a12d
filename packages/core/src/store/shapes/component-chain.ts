/**
 * A linked list of the components of one key and policy that are not in the key's record.
 *
 * These are the counts of other replicas, and own counts in windows that are not the newest. Lists
 * are short: one or two components per replica that counted the key. Generations are kept to 32
 * bits, which distinguish all that can be alive at a time.
 *
 *     | next | replica, opener | period high | period low | generation | hits | refusals, refunds |
 */

import type { Component } from "../../crdt/component.ts";
import { SELF } from "../replicas/replicas.ts";
import type { ComponentVisitor } from "../table/entry.ts";
import { RecordPool, WIDE } from "../table/record-pool.ts";

const NEXT = 0;
const WHO = 1;
const PLACE_HIGH = 2;
const PLACE_LOW = 3;
const GENERATION = 4;
const HITS = 5;
const COUNTED = 6;

const TWO_32 = 2 ** 32;
/**
 * More components of one key than any lawful history makes, of all other replicas or of one of
 * them.
 */
const LENGTH_MAX = 4096;
const PER_REPLICA_MAX = 1024;
/**
 * A component found behind this many others moves forward by one: some are looked up often, others
 * never again.
 */
const NEAR = 8;

/** The value of a head word in a store without chains, because no other replica counts there. */
export const NO_CHAIN = -1;

/**
 * What a component counts beside hits, in a word of its own; only permits have frequent refunds.
 */
export type SecondCount = "none" | "refusals" | "refunds";

export class ComponentChain {
  readonly #records: RecordPool;
  readonly #headWord: number;
  readonly #second: SecondCount;
  readonly #pool: RecordPool;
  readonly #refunds = new Map<number, number>();
  /** Own components that have changed since they were last published. */
  readonly #unsent = new Set<number>();
  /** Keeps the reads of `touch` from being optimised away. */
  touched = 0;

  /**
   * @param headWord the word of a key's record with the number of its first component, or
   * `NO_CHAIN`
   */
  constructor(records: RecordPool, headWord: number, second: SecondCount) {
    this.#records = records;
    this.#headWord = headWord;
    this.#second = second;
    this.#pool = new RecordPool(second === "none" ? COUNTED : COUNTED + 1);
  }

  /** The first component of a key, or 0. */
  first(id: number): number {
    return this.#headWord === NO_CHAIN ? 0 : this.#records.word(id, this.#headWord);
  }

  next(link: number): number {
    return this.#pool.word(link, NEXT);
  }

  replica(link: number): number {
    return this.#pool.word(link, WHO) & 0xffff;
  }

  opener(link: number): number {
    return this.#pool.word(link, WHO) >>> 16;
  }

  place(link: number): number {
    return this.#pool.word(link, PLACE_HIGH) * TWO_32 + (this.#pool.word(link, PLACE_LOW) >>> 0);
  }

  generation(link: number): number {
    return this.#pool.word(link, GENERATION);
  }

  hits(link: number): number {
    return this.#pool.count(link, HITS);
  }

  refunds(link: number): number {
    if (this.#second === "refunds") return this.#pool.count(link, COUNTED);
    return this.#refunds.size === 0 ? 0 : (this.#refunds.get(link) ?? 0);
  }

  refusals(link: number): number {
    return this.#second === "refusals" ? this.#pool.count(link, COUNTED) : 0;
  }

  /** Reads the first components of some keys, to load them into the processor's cache. */
  touch(ids: Int32Array, count: number): void {
    let touched = 0;
    for (let at = 0; at < count; at++) {
      const id = ids[at]!;
      const link = id === 0 ? 0 : this.first(id);
      if (link !== 0) touched ^= this.#pool.word(link, WHO);
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
      const { replica, generation, opener, place } = component;
      link = this.find(id, replica, generation, opener, place);
      if (link !== 0) more = this.#moreHits(link, component);
      if (more <= 0) return 0;
    }
    const pool = this.#pool;
    pool.take(link);
    pool.chunk[pool.start + HITS]! += more;
    return more;
  }

  /**
   * How many more hits a component has than a link of the same identity; 0 if the identity differs.
   */
  #moreHits(link: number, component: Readonly<Component>): number {
    const pool = this.#pool;
    pool.take(link);
    const { chunk, start } = pool;
    const { place } = component;
    const isSame =
      chunk[start + WHO] === (component.replica | (component.opener << 16)) &&
      chunk[start + GENERATION] === (component.generation | 0) &&
      chunk[start + PLACE_LOW] === (place | 0) &&
      chunk[start + PLACE_HIGH] === Math.floor(place / TWO_32);
    const isOnlyHits = component.refunds === 0 && component.refusals === 0;
    if (!isSame || !isOnlyHits || component.hits >= WIDE || chunk[start + HITS] === WIDE) return 0;
    return component.hits - chunk[start + HITS]!;
  }

  /** The component with this identity, or 0. */
  find(id: number, replica: number, generation: number, opener: number, place: number): number {
    const pool = this.#pool;
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
        chunk[start + PLACE_LOW] === (place | 0) &&
        this.place(link) === place
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
    this.#pool.setWord(before, NEXT, this.next(link));
    this.#pool.setWord(link, NEXT, before);
    this.#pool.setWord(twoBefore, NEXT, link);
  }

  /** Adds an empty component after `find` found none; returns 0 when there is no room. */
  add(id: number, replica: number, generation: number, opener: number, place: number): number {
    const link = replica === SELF || this.#hasRoomFor(id, replica) ? this.#pool.allocate() : 0;
    if (link === 0) return 0;
    this.#pool.setWord(link, NEXT, this.first(id));
    this.#pool.setWord(link, WHO, replica | (opener << 16));
    this.setPlace(link, place);
    this.#pool.setWord(link, GENERATION, generation | 0);
    this.#records.setWord(id, this.#headWord, link);
    if (replica === SELF) this.#unsent.add(link);
    return link;
  }

  setPlace(link: number, place: number): void {
    this.#pool.setWord(link, PLACE_HIGH, Math.floor(place / TWO_32));
    this.#pool.setWord(link, PLACE_LOW, place | 0);
  }

  /** Keeps the larger of each count; returns whether any has grown. */
  raise(link: number, hits: number, refunds: number, refusals: number): boolean {
    let grew = false;
    if (hits > this.hits(link)) {
      this.#pool.setCount(link, HITS, hits);
      grew = true;
    }
    if (refunds > this.refunds(link)) {
      if (this.#second === "refunds") this.#pool.setCount(link, COUNTED, refunds);
      else this.#refunds.set(link, refunds);
      grew = true;
    }
    if (this.#second === "refusals" && refusals > this.refusals(link)) {
      this.#pool.setCount(link, COUNTED, refusals);
      grew = true;
    }
    if (grew && this.replica(link) === SELF) this.#unsent.add(link);
    return grew;
  }

  /**
   * Removes one component from a key's list.
   *
   * @param before its predecessor, 0 at the front; a caller that walks the list knows it
   */
  remove(id: number, link: number, before: number = this.#before(id, link)): void {
    if (before === 0) this.#records.setWord(id, this.#headWord, this.next(link));
    else this.#pool.setWord(before, NEXT, this.next(link));
    this.#release(link);
  }

  /** Removes all components of a key. */
  clear(id: number): void {
    for (let link = this.first(id); link !== 0; link = this.first(id)) this.remove(id, link, 0);
  }

  /** Removes all components of all keys; the head words are cleared by the caller. */
  clearAll(): void {
    this.#pool.clear();
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
    component.place = this.place(link);
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

  #release(link: number): void {
    if (this.#refunds.size !== 0) this.#refunds.delete(link);
    if (this.#unsent.size !== 0) this.#unsent.delete(link);
    this.#pool.release(link);
  }

  /**
   * Whether a key may have one more component of a replica, which must not crowd out the others.
   */
  #hasRoomFor(id: number, replica: number): boolean {
    const pool = this.#pool;
    let length = 0;
    let ofReplica = 0;
    for (let link = this.first(id); link !== 0; ) {
      pool.take(link);
      const { chunk, start } = pool;
      length++;
      if ((chunk[start + WHO]! & 0xffff) === replica) ofReplica++;
      link = chunk[start + NEXT]!;
    }
    return length < LENGTH_MAX && ofReplica < PER_REPLICA_MAX;
  }

  #before(id: number, link: number): number {
    let before = 0;
    for (let at = this.first(id); at !== link; at = this.next(at)) before = at;
    return before;
  }
}
