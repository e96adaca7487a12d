/**
 * Clients that come again and again: what their address was found to mean, by its text.
 *
 * To find one here costs a fraction of reading an address and hashing its key, of IPv6 above all. A
 * few of those who were not found are taken in, which is enough for whoever comes often, until there
 * is no more room. To look in vain costs more than it saves to find somebody by an address of IPv4, so
 * most have to be found. Else there are more clients than fit, or others than there were: then all are
 * forgotten, and nobody is looked for until many more have come. Copies are kept, so that an address
 * cut out of a header does not keep that header.
 */

const REGULARS_MAX = 2_048;
/** One of so many who were not found is taken in. */
const STRANGERS = 32;
/** How many have to be found for one who is not. */
const FOUND_PER_MISS = 3;
/** How many may not be found: twice as many as it takes to fill all the room. */
const MISSES_MAX = 2 * STRANGERS * REGULARS_MAX;
const PATIENCE = FOUND_PER_MISS * MISSES_MAX;
/** For so many requests nobody is looked for. */
const REST = 4 * MISSES_MAX;
/** Longer ones are no plain addresses. */
const TEXT_LENGTH_MAX = 64;

export class Regulars<Meaning> {
  readonly #byText = new Map<string, Meaning>();
  #strangers = 0;
  #patience = PATIENCE;
  #rest = 0;

  /** What an address means as it is written; undefined for who is no regular. */
  find(text: string): Meaning | undefined {
    if (this.#rest > 0) {
      this.#rest--;
      return undefined;
    }
    const meaning = this.#byText.get(text);
    if (meaning === undefined) this.#patience -= FOUND_PER_MISS;
    else if (this.#patience < PATIENCE) this.#patience++;
    return meaning;
  }

  /**
   * Takes note of somebody who was not found.
   *
   * @param read says what a text means, if that is to be kept; undefined for what is no address
   */
  missed(text: string, read: (text: string) => Meaning | undefined): void {
    if (this.#rest > 0) return;
    if (this.#patience <= 0) {
      this.forget();
      this.#patience = PATIENCE;
      this.#rest = REST;
    } else if (++this.#strangers >= STRANGERS && this.#byText.size < REGULARS_MAX) {
      this.#takeIn(text, read);
    }
  }

  forget(): void {
    this.#byText.clear();
  }

  #takeIn(text: string, read: (text: string) => Meaning | undefined): void {
    if (text.length > TEXT_LENGTH_MAX) return;
    this.#strangers = 0;
    const copy = Buffer.from(text, "latin1").toString("latin1");
    const meaning = copy === text ? read(copy) : undefined;
    if (meaning !== undefined) this.#byText.set(copy, meaning);
  }
}
