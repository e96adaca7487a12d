/**
 * Linked lists beside the records of keys, one for each key: what other replicas have counted.
 *
 * Lists are short: one or two links per replica that counted the key. A link is a record that
 * begins with the words below; the rest belongs to the user of the chain. Generations are kept to
 * 32 bits, which distinguish all that can be alive at a time.
 *
 *     | next | replica, opener | generation | … |
 */

import { SELF } from "../replicas/replicas.ts";
import { RecordPool } from "../table/record-pool.ts";

export const NEXT = 0;
export const WHO = 1;
export const GENERATION = 2;
/** Words at the beginning of a link. */
export const LINK_WORDS = 3;

/** More links of one key than any lawful history makes, of all other replicas or of one of them. */
const LENGTH_MAX = 4096;
const PER_REPLICA_MAX = 1024;

/** The value of a head word in a store without chains, because no other replica counts there. */
export const NO_CHAIN = -1;

export class Chain {
  readonly pool: RecordPool;
  readonly #records: RecordPool;
  readonly #headWord: number;
  readonly #released: (link: number) => void;

  /**
   * @param headWord the word of a key's record with the number of its first link, or `NO_CHAIN`
   * @param words of each link, with those at its beginning
   * @param released forgets what is kept beside a link
   */
  constructor(
    records: RecordPool,
    headWord: number,
    words: number,
    released: (link: number) => void,
  ) {
    this.pool = new RecordPool(words);
    this.#records = records;
    this.#headWord = headWord;
    this.#released = released;
  }

  /** The first link of a key, or 0. */
  first(id: number): number {
    return this.#headWord === NO_CHAIN ? 0 : this.#records.word(id, this.#headWord);
  }

  next(link: number): number {
    return this.pool.word(link, NEXT);
  }

  replica(link: number): number {
    return this.pool.word(link, WHO) & 0xffff;
  }

  opener(link: number): number {
    return this.pool.word(link, WHO) >>> 16;
  }

  generation(link: number): number {
    return this.pool.word(link, GENERATION);
  }

  /** The first link of a replica's generation, or 0. */
  of(id: number, replica: number, generation: number): number {
    for (let link = this.first(id); link !== 0; link = this.next(link)) {
      if (this.replica(link) === replica && this.generation(link) === (generation | 0)) return link;
    }
    return 0;
  }

  /**
   * Whether a key may have one more link of a replica, which must not crowd out the others. Own
   * links have no maximum.
   */
  hasRoomFor(id: number, replica: number): boolean {
    if (replica === SELF) return true;
    const { pool } = this;
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

  /** Adds a link at the front; returns 0 when no numbers are left. */
  push(id: number, replica: number, generation: number, opener: number): number {
    const { pool } = this;
    const link = pool.allocate();
    if (link === 0) return 0;
    pool.setWord(link, NEXT, this.first(id));
    pool.setWord(link, WHO, replica | (opener << 16));
    pool.setWord(link, GENERATION, generation | 0);
    this.#records.setWord(id, this.#headWord, link);
    return link;
  }

  /**
   * Removes one link from a key's list.
   *
   * @param before its predecessor, 0 at the front; a caller that walks the list knows it
   */
  remove(id: number, link: number, before: number = this.#before(id, link)): void {
    if (before === 0) this.#records.setWord(id, this.#headWord, this.next(link));
    else this.pool.setWord(before, NEXT, this.next(link));
    this.#released(link);
    this.pool.release(link);
  }

  /** Removes the links of a key that do not pass a test. */
  retain(id: number, keeps: (link: number) => boolean): void {
    let before = 0;
    for (let link = this.first(id); link !== 0; ) {
      const next = this.next(link);
      if (keeps(link)) before = link;
      else this.remove(id, link, before);
      link = next;
    }
  }

  /** Removes all links of a key. */
  clear(id: number): void {
    for (let link = this.first(id); link !== 0; link = this.first(id)) this.remove(id, link, 0);
  }

  /** Marks every replica and opener that a key's links refer to. */
  refersTo(id: number, mark: (replica: number) => void): void {
    for (let link = this.first(id); link !== 0; link = this.next(link)) {
      mark(this.replica(link));
      mark(this.opener(link));
    }
  }

  #before(id: number, link: number): number {
    let before = 0;
    for (let at = this.first(id); at !== link; at = this.next(at)) before = at;
    return before;
  }
}
