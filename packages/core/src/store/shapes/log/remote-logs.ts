/**
 * The logs of other replicas for one key: a list of times for each, and the sum over all.
 *
 * Times stay on their replica's clock and are converted where they are compared. The sum is cached until the first of its hits expires, so a decision
 * reads the record alone.
 *
 *     record:        | chain | sum | sum until |
 *     other's list:  | next | replica | generation | points | list |
 */

import type { Component } from "../../../crdt/component.ts";
import type { Replicas } from "../../replicas/replicas.ts";
import { RecordFields } from "../../table/record-fields.ts";
import type { RecordPool } from "../../table/record-pool.ts";
import { Chain, LINK_WORDS } from "../chain.ts";
import { TIME_LIST_WORDS, TimeLists } from "./time-list.ts";
import { TimedRefunds } from "./timed-refunds.ts";

const CHAIN = 0;
const SUM = 1;
const SUM_UNTIL = 2;
/** Words of a key's record that these logs use. */
export const REMOTE_LOGS_WORDS: number = SUM_UNTIL + 1;

const SIZE: number = LINK_WORDS;
const LIST: number = SIZE + 1;

/** A cached sum is valid at most this long, because its end is kept as 32 bits. */
const CACHE_MS_MAX = 2 ** 30;
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
  readonly #chain: Chain;
  readonly #lists: TimeLists;
  readonly #refunds = new TimedRefunds();

  /** @param base the first of the words of a key's record that are for this */
  constructor(records: RecordPool, replicas: Replicas, base: number, windowMs: number) {
    this.#fields = new RecordFields(records, base);
    this.#replicas = replicas;
    this.#windowMs = windowMs;
    this.#chain = new Chain(records, base + CHAIN, LIST + TIME_LIST_WORDS, (list) => {
      this.#lists.clear(list);
      this.#refunds.delete(list);
    });
    this.#lists = new TimeLists(this.#chain.pool, LIST);
  }

  isEmpty(id: number): boolean {
    return this.#chain.first(id) === 0;
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

  /** When the last of the hits expires; 0 without any. */
  endsAt(id: number): number {
    let endsAt = 0;
    const chain = this.#chain;
    for (let list = chain.first(id); list !== 0; list = chain.next(list)) {
      const leaves = this.#lists.newest(list) + this.#offsetMs(list) + this.#windowMs;
      endsAt = Math.max(endsAt, leaves);
    }
    return endsAt;
  }

  /** Shows the logs of all replicas, or of one. */
  each(id: number, visit: LogVisitor, replica?: number): void {
    const chain = this.#chain;
    for (let list = chain.first(id); list !== 0; list = chain.next(list)) {
      if (replica !== undefined && chain.replica(list) !== replica) continue;
      visit(this.#lists, list, this.#offsetMs(list), this.#refunds, chain.generation(list));
    }
  }

  /** Drops expired points and dropped replicas, and sums up the rest. */
  refresh(id: number, now: number): void {
    let sum = 0;
    let until = now + CACHE_MS_MAX;
    const chain = this.#chain;
    let before = 0;
    for (let list = chain.first(id); list !== 0; ) {
      const next = chain.next(list);
      const offsetMs = this.#offsetMs(list);
      const cutoff = now - this.#windowMs - offsetMs;
      this.#lists.expire(list, cutoff);
      this.#measure(list);
      if (this.#replicas.isDropped(chain.replica(list))) {
        chain.remove(id, list, before);
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
    const { period, hits, refunds } = component;
    // The sum over all is updated only while it is valid.
    const isSummed = ((now - this.#fields.word(id, SUM_UNTIL)) | 0) < 0;
    const before = isSummed ? this.#held(list, cutoff) : 0;
    const learned = this.#learn(list, period, hits, cutoff);
    if (learned === undefined) return undefined;
    const grew = this.#refunds.raise(list, period, refunds) || learned;
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
    this.#chain.clear(id);
    this.#fields.setCount(id, SUM, 0);
  }

  /** Removes all logs of all keys; the head words are cleared by the caller. */
  clearAll(): void {
    this.#chain.pool.clear();
    this.#lists.clearAll();
    this.#refunds.clear();
  }

  refersTo(id: number, mark: (replica: number) => void): void {
    this.#chain.refersTo(id, mark);
  }

  #offsetMs(list: number): number {
    return this.#replicas.offsetMs(this.#chain.replica(list));
  }

  /** The list of a replica's generation, made if needed; 0 without room. */
  #obtain(id: number, replica: number, generation: number, cutoff: number): number {
    const chain = this.#chain;
    const list = chain.of(id, replica, generation);
    if (list !== 0) return list;
    const hasRoom = chain.hasRoomFor(id, replica) || this.#dropEnded(id, replica, cutoff);
    return hasRoom ? chain.push(id, replica, generation, replica) : 0;
  }

  /**
   * Removes the lists that have ended; returns whether there were any. A replica ends one
   * generation before it begins the next: when all hits of a later generation have expired, those
   * of an earlier one have too.
   */
  #dropEnded(id: number, replica: number, cutoff: number): boolean {
    const chain = this.#chain;
    let ended: number | null = null;
    for (let list = chain.first(id); list !== 0; list = chain.next(list)) {
      if (chain.replica(list) !== replica || this.#lists.newest(list) > cutoff) continue;
      const generation = chain.generation(list);
      if (ended === null || ((generation - ended) | 0) > 0) ended = generation;
    }
    if (ended === null) return false;
    const last = ended;
    const before = chain.pool.size;
    chain.retain(
      id,
      (list) => chain.replica(list) !== replica || ((chain.generation(list) - last) | 0) >= 0,
    );
    return chain.pool.size < before;
  }

  /** Merges one point; returns undefined without room for it. */
  #learn(list: number, time: number, total: number, cutoff: number): boolean | undefined {
    const hasRoom = this.#chain.pool.word(list, SIZE) < POINTS_MAX;
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
    this.#chain.pool.setWord(list, SIZE, this.#chain.pool.word(list, SIZE) + grownBy);
    this.#lists.grownBy = 0;
  }

  /** Hits of one list after `cutoff`, less refunds. */
  #held(list: number, cutoff: number): number {
    return this.#lists.live(list) - this.#refunds.after(list, cutoff);
  }
}
