/**
 * Clients that come again and again: what their address was found to mean, by its text.
 *
 * To find one here costs a fraction of reading an address and hashing its key, of IPv6 above all. A
 * few of those who were not found are taken in, which is enough for whoever comes often, and costs
 * next to nothing where nobody comes twice. The oldest make room. Copies are kept, so that an address
 * cut out of a header does not keep that header.
 */

const REGULARS_MAX = 2_048;
/** One of so many who were not found is taken in. */
const STRANGERS = 32;
/** Longer ones are no plain addresses. */
const TEXT_LENGTH_MAX = 64;

export class Regulars<Meaning> {
  readonly #byText = new Map<string, Meaning>();
  #strangers = 0;

  /** What an address means as it is written; undefined for who is no regular. */
  find(text: string): Meaning | undefined {
    return this.#byText.get(text);
  }

  forget(): void {
    this.#byText.clear();
  }

  /**
   * Takes note of somebody who was not found.
   *
   * @param read says what a text means, if that is to be kept; undefined for what is no address
   */
  missed(text: string, read: (text: string) => Meaning | undefined): void {
    if (++this.#strangers < STRANGERS || text.length > TEXT_LENGTH_MAX) return;
    this.#strangers = 0;
    const copy = Buffer.from(text, "latin1").toString("latin1");
    const meaning = copy === text ? read(copy) : undefined;
    if (meaning === undefined) return;
    this.#byText.set(copy, meaning);
    if (this.#byText.size <= REGULARS_MAX) return;
    for (const oldest of this.#byText.keys()) {
      this.#byText.delete(oldest);
      break;
    }
  }
}
