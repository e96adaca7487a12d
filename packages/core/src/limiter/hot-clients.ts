/**
 * Keys that are asked about again and again, by the text that each is made from, as an address is written.
 *
 * To find one here costs a fraction of reading an address and hashing its key, of IPv6 above all. A
 * few of those that were not found are taken in, which is enough for whoever comes often, until there
 * is no more room. To look in vain costs more than it saves to find somebody by an address of IPv4, so
 * three of four have to be found. Else there are more than fit, or others than there were: then all are
 * forgotten, and none is looked for until many more have come. Copies are kept, so that an address cut
 * out of a header does not keep that header.
 */

import { CachedRecord } from "../store/table/cached-record.ts";
import { copyOf } from "../store/table/fingerprint-cache.ts";

const REGULARS_MAX = 2_048;
/** One of so many that were not found is taken in. */
const STRANGERS_PER_REGULAR = 32;
/** How many have to be found for one that is not. */
const FOUND_PER_MISS = 3;
/** How many may not be found: twice as many as it takes to fill all the room. */
const MISSES_MAX = 2 * STRANGERS_PER_REGULAR * REGULARS_MAX;
const PATIENCE = FOUND_PER_MISS * MISSES_MAX;
/** For so many calls none is looked for. */
const REST = 4 * MISSES_MAX;
/** Longer ones are no plain addresses. */
const TEXT_LENGTH_MAX = 64;

/** A key that is asked about often. */
export class HotClient extends CachedRecord {
  readonly key: string;

  constructor(key: string, low: number, high: number) {
    super(low, high);
    this.key = key;
  }
}

export class HotClients {
  readonly #byText = new Map<string, HotClient>();
  readonly #room: number;
  #strangers = 0;
  #patience = PATIENCE;
  #rest = 0;

  /** @param keysMax there is no use for more than are counted at a time */
  constructor(keysMax: number) {
    this.#room = Math.min(REGULARS_MAX, keysMax);
  }

  /** What is made from a text; undefined for what is not known. */
  find(text: string): HotClient | undefined {
    if (this.#rest > 0) {
      this.#rest--;
      return undefined;
    }
    const hotClient = this.#byText.get(text);
    if (hotClient === undefined) this.#patience -= FOUND_PER_MISS;
    else if (this.#patience < PATIENCE) this.#patience++;
    return hotClient;
  }

  /**
   * Takes note of a text that was not found.
   *
   * @param read says what is made from it, if that is to be kept; undefined for nothing
   */
  missed(text: string, read: (text: string) => HotClient | undefined): void {
    if (this.#rest > 0) return;
    if (this.#patience <= 0) {
      this.#byText.clear();
      this.#patience = PATIENCE;
      this.#rest = REST;
    } else if (++this.#strangers >= STRANGERS_PER_REGULAR && this.#byText.size < this.#room) {
      this.#takeIn(text, read);
    }
  }

  /** Forgets all, and knows none from now on. */
  close(): void {
    this.#byText.clear();
    this.#rest = Number.POSITIVE_INFINITY;
  }

  #takeIn(text: string, read: (text: string) => HotClient | undefined): void {
    if (text.length > TEXT_LENGTH_MAX) return;
    this.#strangers = 0;
    const copy = copyOf(text);
    const hotClient = copy === text ? read(copy) : undefined;
    if (hotClient !== undefined) this.#byText.set(copy, hotClient);
  }
}
