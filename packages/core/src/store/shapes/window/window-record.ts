/**
 * The words of a record that hold one window of a key. It is the newest window in which this
 * replica has counted hits. If it has counted none, it is the newest of all.
 *
 * The counts of other replicas, and own hits of older windows, are summed up here. The words also
 * hold how much later than this window the newest one began. Refunds are rare and are in a map
 * beside the words.
 *
 *     | opener, opened high | opened low | hits | chain | others | others until | lead | refusals, others' |
 *                                               └────────── in a cluster ───────┘
 */

import { NO_REPLICA } from "../../replicas/replicas.ts";
import { RecordFields } from "../../table/record-fields.ts";
import type { RecordPool } from "../../table/record-pool.ts";

export const WINDOW = 0;
export const OPENED_LOW = 1;
export const HITS = 2;
// In a cluster, before what counts refusals:
export const CHAIN = 3;
export const OTHERS = 4;
export const OTHERS_UNTIL = 5;
export const LEAD = 6;
const SHARED_WORDS = 4;

const TWO_32 = 2 ** 32;

export interface WindowRecordOptions {
  /** Whether refused hits are counted too. */
  readonly countsRefusals: boolean;
  /** Whether components of other replicas will be merged. */
  readonly shared: boolean;
}

export class WindowRecord {
  /** Refunded own hits of the newest window, by record. */
  readonly refunds: Map<number, number> = new Map();

  readonly #fields: RecordFields;
  readonly #words: number;
  readonly #countsRefusals: boolean;
  readonly #shared: boolean;
  readonly #refusals: number;
  readonly #othersRefusals: number;

  constructor(records: RecordPool, base: number, options: WindowRecordOptions) {
    this.#fields = new RecordFields(records, base);
    this.#words = windowWords(options);
    this.#countsRefusals = options.countsRefusals;
    this.#shared = options.shared;
    this.#refusals = CHAIN + (options.shared ? SHARED_WORDS : 0);
    this.#othersRefusals = this.#refusals + 1;
  }

  /** Prepares the zeroed words of a new record, which has no window. */
  begin(id: number): void {
    this.#fields.setWord(id, WINDOW, NO_REPLICA);
  }

  /** The generation of the record's own components. */
  generation(id: number): number {
    return this.#fields.generation(id);
  }

  /** The opener of the window; `NO_REPLICA` when there is none. */
  opener(id: number): number {
    return this.#fields.word(id, WINDOW) & NO_REPLICA;
  }

  openedAt(id: number): number {
    return (
      (this.#fields.word(id, WINDOW) >>> 16) * TWO_32 + (this.#fields.word(id, OPENED_LOW) >>> 0)
    );
  }

  /** Whether no newer window of the key is known. */
  isNewest(id: number): boolean {
    return !this.#shared || this.#fields.word(id, LEAD) === 0;
  }

  /** How much later the newest window of the key began. */
  leadMs(id: number): number {
    return this.isNewest(id) ? 0 : this.#fields.count(id, LEAD) - 1;
  }

  hits(id: number): number {
    return this.#fields.count(id, HITS);
  }

  others(id: number): number {
    return this.#shared ? this.#fields.count(id, OTHERS) : 0;
  }

  refusals(id: number): number {
    return this.#countsRefusals ? this.#fields.count(id, this.#refusals) : 0;
  }

  othersRefusals(id: number): number {
    return this.#countsRefusals ? this.#fields.count(id, this.#othersRefusals) : 0;
  }

  hasOwn(id: number): boolean {
    return this.#fields.word(id, HITS) !== 0 || this.refusals(id) !== 0;
  }

  addHits(id: number, hits: number): void {
    this.#fields.addToCount(id, HITS, hits);
  }

  addRefusals(id: number, refusals: number): void {
    this.#fields.addToCount(id, this.#refusals, refusals);
  }

  /** Adds to the known sum over the chain. */
  addOthers(id: number, hits: number, refusals: number): void {
    this.#fields.addToCount(id, OTHERS, hits);
    if (this.#countsRefusals) this.#fields.addToCount(id, this.#othersRefusals, refusals);
  }

  /** Another window is the newest and began this much later; 0 if only its opener decided. */
  setLead(id: number, leadMs: number): void {
    this.#fields.setCount(id, LEAD, leadMs + 1);
  }

  /** The record's window is the newest. */
  clearLead(id: number): void {
    if (this.#shared) this.#fields.setCount(id, LEAD, 0);
  }

  /** Stores the sum over the chain, valid until a time of this replica's clock. */
  setOthers(id: number, hits: number, refusals: number, until: number): void {
    if (!this.#shared) return;
    this.#fields.setCount(id, OTHERS, hits);
    this.#fields.setWord(id, OTHERS_UNTIL, until | 0);
    if (this.#countsRefusals) this.#fields.setCount(id, this.#othersRefusals, refusals);
  }

  /** Ends the validity of the sum over the chain at the latest at this time. */
  endOthers(id: number, until: number): void {
    const known = this.#fields.word(id, OTHERS_UNTIL);
    if (((until - known) | 0) < 0) this.#fields.setWord(id, OTHERS_UNTIL, until | 0);
  }

  /** Turns the record to a window, with the own hits that were counted in it before. */
  enter(id: number, opener: number, period: number): void {
    this.clear(id);
    this.#fields.setWord(id, WINDOW, windowWord(opener, period));
    this.#fields.setWord(id, OPENED_LOW, period | 0);
  }

  /** Restores own hits that were counted in this window before. */
  restore(id: number, hits: number, refunds: number, refusals: number): void {
    this.#fields.setCount(id, HITS, hits);
    if (refunds !== 0) this.refunds.set(id, refunds);
    if (this.#countsRefusals) this.#fields.setCount(id, this.#refusals, refusals);
  }

  /** Removes the record's window. The chain stays. */
  clear(id: number): void {
    for (let word = 0; word < this.#words; word++) {
      if (word !== CHAIN || !this.#shared) this.#fields.setCount(id, word, 0);
    }
    this.#fields.setWord(id, WINDOW, NO_REPLICA);
    this.refunds.delete(id);
  }
}

/** The word with a window's opener and the high half of its opening time. */
export function windowWord(opener: number, period: number): number {
  return opener | (Math.floor(period / TWO_32) << 16);
}

/** Words of a record that a window uses. */
export function windowWords(options: WindowRecordOptions): number {
  return CHAIN + (options.shared ? SHARED_WORDS : 0) + (options.countsRefusals ? 2 : 0);
}
