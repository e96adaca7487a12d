/**
 * Caches the keys of frequent clients by the text that each key is made from, such as an address.
 *
 * A lookup here costs a fraction of parsing an address and hashing its key, above all for IPv6. A
 * few of the missed texts are inserted until the cache is full, which is enough to find frequent
 * clients. A miss costs more than a hit saves for IPv4, so three of four lookups have to hit. If
 * fewer do, there are too many clients or they have changed: the cache is emptied, and rests for
 * many calls. It copies its texts, because an address cut out of a header would keep the header in
 * memory.
 */

import { CachedRecord } from "../store/table/cached-record.ts";
import { copyOf } from "../store/table/fingerprint-cache.ts";

const CLIENTS_MAX = 2_048;
/** Misses per insert. */
const MISSES_PER_INSERT = 32;
/** Hits that pay for one miss. */
const HITS_PER_MISS = 3;
/** The most unpaid misses: twice as many as it takes to fill the cache. */
const MISSES_MAX = 2 * MISSES_PER_INSERT * CLIENTS_MAX;
const PATIENCE = HITS_PER_MISS * MISSES_MAX;
/** For how many calls the cache rests. */
const REST = 4 * MISSES_MAX;
/** Longer texts are no plain addresses. */
const TEXT_LENGTH_MAX = 64;

/** The cached key of a frequent client. */
export class HotClient extends CachedRecord {
  readonly key: string;

  constructor(key: string, low: number, high: number) {
    super(low, high);
    this.key = key;
  }
}

export class HotClients {
  readonly #byText = new Map<string, HotClient>();
  readonly #clientsMax: number;
  #misses = 0;
  #patience = PATIENCE;
  #rest = 0;

  /** @param keysMax the most keys of the limiter; the cache needs no more entries than that */
  constructor(keysMax: number) {
    this.#clientsMax = Math.min(CLIENTS_MAX, keysMax);
  }

  /** The client with a text; undefined if it is not cached. */
  find(text: string): HotClient | undefined {
    if (this.#rest > 0) {
      this.#rest--;
      return undefined;
    }
    const hotClient = this.#byText.get(text);
    if (hotClient === undefined) this.#patience -= HITS_PER_MISS;
    else if (this.#patience < PATIENCE) this.#patience++;
    return hotClient;
  }

  /**
   * Notes a miss.
   *
   * @param read makes the client from the text; undefined if it is not to be cached
   */
  missed(text: string, read: (text: string) => HotClient | undefined): void {
    if (this.#rest > 0) return;
    if (this.#patience <= 0) {
      this.#byText.clear();
      this.#patience = PATIENCE;
      this.#rest = REST;
    } else if (++this.#misses >= MISSES_PER_INSERT && this.#byText.size < this.#clientsMax) {
      this.#insert(text, read);
    }
  }

  /** Empties the cache and stops caching. */
  close(): void {
    this.#byText.clear();
    this.#rest = Number.POSITIVE_INFINITY;
  }

  #insert(text: string, read: (text: string) => HotClient | undefined): void {
    if (text.length > TEXT_LENGTH_MAX) return;
    this.#misses = 0;
    const copy = copyOf(text);
    const hotClient = copy === text ? read(copy) : undefined;
    if (hotClient !== undefined) this.#byText.set(copy, hotClient);
  }
}
