/**
 * The fingerprints of a few keys asked for lately, so that a hot key is not hashed at every check.
 *
 * It has a fixed number of places and each key has one, picked from its length and two of its
 * characters: to look costs about as much as comparing two strings. Only one in so many keys that
 * were not found is remembered, and while nothing is found it is one in many more, and the only one
 * looked for. Hot keys get in all the same, and among keys that hardly repeat nobody pays for them. It
 * keeps copies, so that a key cut out of a large text does not keep that text.
 */

const PLACES = 256;
const KEY_LENGTH_MAX = 64;
const MISSES_PER_KEY = 32;
/** So many keys in a row may be looked for in vain before most are not looked for any more. */
const PATIENCE = 32;
/** The same while nothing is found: to copy a key takes as long as to hash a dozen. */
const MISSES_PER_KEY_IN_VAIN = 256;

export class FingerprintCache {
  /** Low half of the last fingerprint, as a signed 32-bit integer. */
  low = 0;
  /** High half of the last fingerprint, as a signed 32-bit integer. */
  high = 0;

  readonly #keys: (string | null)[] = new Array<string | null>(PLACES).fill(null);
  readonly #halves = new Int32Array(2 * PLACES);
  /** Keys not found since one was remembered. */
  #misses = 0;
  /** Keys looked for in vain since one was found. */
  #inVain = 0;

  /** Remembers none of them any more. */
  forget(): void {
    this.#keys.fill(null);
  }

  /** Whether a key is remembered; then its fingerprint is in `low` and `high`. */
  protected recall(key: string): boolean {
    if (this.#inVain >= PATIENCE && this.#misses < MISSES_PER_KEY_IN_VAIN - 1) return false;
    const place = placeOf(key);
    if (this.#keys[place] !== key) {
      this.#inVain++;
      return false;
    }
    this.#inVain = 0;
    const halves = this.#halves;
    this.low = halves[place]!;
    this.high = halves[place + PLACES]!;
    return true;
  }

  /** Takes note of an ASCII key that was not remembered, whose fingerprint is in `low` and `high`. */
  protected missed(key: string): void {
    const isHopeful = this.#inVain < PATIENCE;
    if (++this.#misses >= (isHopeful ? MISSES_PER_KEY : MISSES_PER_KEY_IN_VAIN))
      this.#remember(key);
  }

  #remember(key: string): void {
    if (key.length > KEY_LENGTH_MAX) return;
    this.#misses = 0;
    const place = placeOf(key);
    this.#keys[place] = copyOf(key);
    this.#halves[place] = this.low;
    this.#halves[place + PLACES] = this.high;
  }
}

/** The same text by itself, if it is of bytes: the engine may have cut the given one out of a large one. */
export function copyOf(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}

/** Characters that differ between addresses, and between names with a common beginning. */
function placeOf(key: string): number {
  const length = key.length;
  const last = key.charCodeAt(length - 1);
  return (length + 7 * last + 31 * key.charCodeAt(length >>> 1)) & (PLACES - 1);
}
