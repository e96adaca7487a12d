/**
 * Caches the fingerprints of a few recent keys, so that a hot key is not hashed at every check.
 *
 * The cache has a fixed number of slots. A key's length and four of its characters pick its slot, so
 * a lookup costs about as much as comparing two strings. Only some of the missed keys are inserted.
 * While lookups keep missing, inserts become rarer still, and only the inserted keys are looked up.
 * Hot keys get in anyway, and traffic of unique keys pays almost nothing. The cache copies its
 * keys, because a key cut out of a large text would keep that text in memory.
 * `npm run bench -- core "One hot key"` shows what the cache saves.
 */

const SLOTS = 1_024;
const KEY_LENGTH_MAX = 64;
const MISSES_PER_KEY = 32;
/** After this many misses in a row, most keys are no longer looked up. */
const PATIENCE = 32;
/** Misses per insert while nothing is found: copying a key takes as long as hashing a dozen. */
const MISSES_PER_KEY_IN_VAIN = 256;

export class FingerprintCache {
  /** Low half of the last fingerprint, as a signed 32-bit integer. */
  low = 0;
  /** High half of the last fingerprint, as a signed 32-bit integer. */
  high = 0;

  readonly #keys: (string | null)[] = new Array<string | null>(SLOTS).fill(null);
  readonly #halves = new Int32Array(2 * SLOTS);
  /** Misses since the last insert. */
  #misses = 0;
  /** Misses since the last hit. */
  #inVain = 0;

  /** Empties the cache. */
  forget(): void {
    this.#keys.fill(null);
  }

  /** Looks up a key; if it is cached, its fingerprint is in `low` and `high`. */
  protected recall(key: string): boolean {
    if (this.#inVain >= PATIENCE && this.#misses < MISSES_PER_KEY_IN_VAIN - 1) return false;
    const slot = slotOf(key);
    if (this.#keys[slot] !== key) {
      this.#inVain++;
      return false;
    }
    this.#inVain = 0;
    const halves = this.#halves;
    this.low = halves[slot]!;
    this.high = halves[slot + SLOTS]!;
    return true;
  }

  /** Notes a miss of an ASCII key, whose fingerprint is in `low` and `high`. */
  protected missed(key: string): void {
    const isHopeful = this.#inVain < PATIENCE;
    if (++this.#misses >= (isHopeful ? MISSES_PER_KEY : MISSES_PER_KEY_IN_VAIN))
      this.#remember(key);
  }

  #remember(key: string): void {
    if (key.length > KEY_LENGTH_MAX) return;
    this.#misses = 0;
    const slot = slotOf(key);
    this.#keys[slot] = Buffer.from(key, "latin1").toString("latin1");
    this.#halves[slot] = this.low;
    this.#halves[slot + SLOTS] = this.high;
  }
}

/** Uses characters that differ between addresses, and between names with a common beginning. */
function slotOf(key: string): number {
  const length = key.length;
  if (length < 2) return length;
  const middle = length >>> 1;
  const inside = key.charCodeAt(middle) + 11 * key.charCodeAt(middle - 1);
  const end = key.charCodeAt(length - 1) + 11 * key.charCodeAt(length - 2);
  return (length + 7 * end + 59 * inside) & (SLOTS - 1);
}
