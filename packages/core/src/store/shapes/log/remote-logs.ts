/**
 * The logs of other replicas for one key: a list of times for each, and the sum over all.
 *
 * They are a linked list on the key's record. Times stay on their replica's clock and are converted
 * where they are compared. The sum is cached until the first of its hits expires, so a decision
 * reads the record alone.
 *
 *     record:        | chain | sum | sum until |
 *     other's list:  | next | replica | generation | points | list |
 */

import type { Component } from "../../../crdt/component.ts";
import type { Replicas } from "../../replicas/replicas.ts";
import { RecordFields } from "../../table/record-fields.ts";
import { RecordPool } from "../../table/record-pool.ts";
import { TIME_LIST_WORDS, TimeLists } from "./time-list.ts";
import { TimedRefunds } from "./timed-refunds.ts";

const CHAIN = 0;
const SUM = 1;
const SUM_UNTIL = 2;
/** Words of a key's record that these logs use. */
export const REMOTE_LOGS_WORDS: number = SUM_UNTIL + 1;

const NEXT = 0;
const REPLICA = 1;
const GENERATION = 2;
const SIZE = 3;
const LIST = 4;

/** A cached sum is valid at most this long, because its end is kept as 32 bits. */
const CACHE_MS_MAX = 2 ** 30;
/** More lists of one key than any lawful history makes, of all other replicas or of one of them. */
const LISTS_MAX = 4096;
const PER_REPLICA_MAX = 1024;
/**
 * Times of one list: one for each millisecond of a minute. Later hits are counted with the newest.
 */
const POINTS_MAX = 65_536;

/** Receives one log: its list, the clock offset of its times, its refunds and its generation. */
export type LogVisitor = (
  lists: TimeLists,
  owner: number,
  offsetMs: number,
  refunds: TimedRefunds,
  generation: number,
) => void;

export class RemoteLogs {
  readonly #fields: RecordFields;
  readonly #replicas: Replicas;
  readonly #windowMs: number;
  readonly #pool = new RecordPool(LIST + TIME_LIST_WORDS);
  readonly #lists = new TimeLists(this.#pool, LIST);
  readonly #refunds = new TimedRefunds();

  /** @param base the first of the words of a key's record that are for this */
  constructor(records: RecordPool, replicas: Replicas, base: number, windowMs: number) {
    this.#fields = new RecordFields(records, base);
    this.#replicas = replicas;
    this.#windowMs = windowMs;
  }

  isEmpty(id: number): boolean {
    return this.#first(id) === 0;
  }

  /** Hits inside the window at `now`, less refunds, of a key that has logs. */
  hits(id: number, now: number): number {
    if (((now - this.#fields.word(id, SUM_UNTIL)) | 0) >= 0) this.refresh(id, now);
    return this.sum(id);
  }

  /** The sum of the last `refresh`, with everything merged since. */
  sum(id: number): number {
    return this.#fields.count(id, SUM);
  }

  /** When the last of the hits expires. */
  endsAt(id: number): number {
    let endsAt = 0;
    for (let list = this.#first(id); list !== 0; list = this.#next(list)) {
      const leaves = this.#lists.newest(list) + this.#offsetMs(list) + this.#windowMs;
      endsAt = Math.max(endsAt, leaves);
    }
    return endsAt;
  }

  /** Shows the logs of all replicas, or of one. */
  each(id: number, visit: LogVisitor, replica?: number): void {
    for (let list = this.#first(id); list !== 0; list = this.#next(list)) {
      if (replica !== undefined && this.#replica(list) !== replica) continue;
      const generation = this.#pool.word(list, GENERATION);
      visit(this.#lists, list, this.#offsetMs(list), this.#refunds, generation);
    }
  }

  /** Drops expired points and dropped replicas, and sums up the rest. */
  refresh(id: number, now: number): void {
    let sum = 0;
    let until = now + CACHE_MS_MAX;
    let before = 0;
    for (let list = this.#first(id); list !== 0; ) {
      const next = this.#next(list);
      const offsetMs = this.#offsetMs(list);
      const cutoff = now - this.#windowMs - offsetMs;
      this.#lists.expire(list, cutoff);
      this.#measure(list);
      if (this.#replicas.isDropped(this.#replica(list))) {
        this.#remove(id, list, before);
      } else {
        before = list;
        until = Math.min(until, this.#lists.oldest(list) + offsetMs + this.#windowMs);
        sum += this.#held(list, cutoff);
      }
      list = next;
    }
    this.#fields.setCount(id, SUM, sum);
    this.#fields.setWord(id, SUM_UNTIL, until | 0);
  }

  /** Merges one point of a replica's log; returns whether it was new, undefined without room. */
  join(id: number, component: Component, now: number): boolean | undefined {
    const offsetMs = this.#replicas.offsetMs(component.replica);
    const cutoff = now - this.#windowMs - offsetMs;
    const list = this.#obtain(id, component.replica, component.generation | 0, cutoff);
    if (list === 0) return undefined;
    const { place, hits, refunds } = component;
    // The sum over all is updated only while it is valid.
    const isSummed = ((now - this.#fields.word(id, SUM_UNTIL)) | 0) < 0;
    const before = isSummed ? this.#held(list, cutoff) : 0;
    const learned = this.#learn(list, place, hits, cutoff);
    if (learned === undefined) return undefined;
    const grew = this.#refunds.raise(list, place, refunds) || learned;
    if (!grew) return false;
    if (!isSummed) {
      this.refresh(id, now);
      return true;
    }
    this.#fields.addToCount(id, SUM, this.#held(list, cutoff) - before);
    const until = this.#lists.oldest(list) + offsetMs + this.#windowMs;
    const isSooner =
      until < now + CACHE_MS_MAX && ((until - this.#fields.word(id, SUM_UNTIL)) | 0) < 0;
    if (isSooner) this.#fields.setWord(id, SUM_UNTIL, until | 0);
    return true;
  }

  /** Removes all logs of a key. */
  clear(id: number): void {
    for (let list = this.#first(id); list !== 0; ) {
      const next = this.#next(list);
      this.#remove(id, list, 0);
      list = next;
    }
    this.#fields.setCount(id, SUM, 0);
  }

  /** Removes all logs of all keys; the head words are cleared by the caller. */
  clearAll(): void {
    this.#pool.clear();
    this.#lists.clearAll();
    this.#refunds.clear();
  }

  refersTo(id: number, mark: (replica: number) => void): void {
    for (let list = this.#first(id); list !== 0; list = this.#next(list)) mark(this.#replica(list));
  }

  #first(id: number): number {
    return this.#fields.word(id, CHAIN);
  }

  #next(list: number): number {
    return this.#pool.word(list, NEXT);
  }

  #replica(list: number): number {
    return this.#pool.word(list, REPLICA);
  }

  #offsetMs(list: number): number {
    return this.#replicas.offsetMs(this.#replica(list));
  }

  /** The list of a replica's generation, made if needed; 0 without room. */
  #obtain(id: number, replica: number, generation: number, cutoff: number): number {
    const pool = this.#pool;
    let length = 0;
    let ofReplica = 0;
    for (let list = this.#first(id); list !== 0; list = this.#next(list)) {
      length++;
      if (this.#replica(list) !== replica) continue;
      ofReplica++;
      if (pool.word(list, GENERATION) === generation) return list;
    }
    const isCrowded = length >= LISTS_MAX || ofReplica >= PER_REPLICA_MAX;
    const list = isCrowded && !this.#dropEnded(id, replica, cutoff) ? 0 : pool.allocate();
    if (list === 0) return 0;
    pool.setWord(list, NEXT, this.#first(id));
    pool.setWord(list, REPLICA, replica);
    pool.setWord(list, GENERATION, generation);
    this.#fields.setWord(id, CHAIN, list);
    return list;
  }

  /**
   * Removes the lists that have ended; returns whether there were any. A replica ends one
   * generation before it begins the next: when all hits of a later generation have expired, those
   * of an earlier one have too.
   */
  #dropEnded(id: number, replica: number, cutoff: number): boolean {
    let ended: number | null = null;
    for (let list = this.#first(id); list !== 0; list = this.#next(list)) {
      if (this.#replica(list) !== replica || this.#lists.newest(list) > cutoff) continue;
      const generation = this.#pool.word(list, GENERATION);
      if (ended === null || ((generation - ended) | 0) > 0) ended = generation;
    }
    if (ended === null) return false;
    let before = 0;
    let hasDropped = false;
    for (let list = this.#first(id); list !== 0; ) {
      const next = this.#next(list);
      const isOf = this.#replica(list) === replica;
      if (isOf && ((this.#pool.word(list, GENERATION) - ended) | 0) < 0) {
        this.#remove(id, list, before);
        hasDropped = true;
      } else before = list;
      list = next;
    }
    return hasDropped;
  }

  /** Merges one point; returns undefined without room for it. */
  #learn(list: number, time: number, total: number, cutoff: number): boolean | undefined {
    const hasRoom = this.#pool.word(list, SIZE) < POINTS_MAX;
    const newest = hasRoom ? time : this.#lists.newest(list);
    const learned = this.#lists.learn(list, time, total, cutoff, hasRoom);
    if (learned === true && time > newest) this.#refunds.move(list, newest, time);
    this.#measure(list);
    return learned;
  }

  /** Counts the points by which a list has grown or shrunk. */
  #measure(list: number): void {
    const { grownBy } = this.#lists;
    if (grownBy === 0) return;
    this.#pool.setWord(list, SIZE, this.#pool.word(list, SIZE) + grownBy);
    this.#lists.grownBy = 0;
  }

  /** Hits of one list after `cutoff`, less refunds. */
  #held(list: number, cutoff: number): number {
    return this.#lists.live(list) - this.#refunds.after(list, cutoff);
  }

  /** Removes the list after `before` from a key, the first one if that is 0. */
  #remove(id: number, removed: number, before: number): void {
    const next = this.#next(removed);
    if (before === 0) this.#fields.setWord(id, CHAIN, next);
    else this.#pool.setWord(before, NEXT, next);
    this.#lists.clear(removed);
    this.#refunds.delete(removed);
    this.#pool.release(removed);
  }
}
