/**
 * Whose hits they are: keys of one load, some busier than others.
 *
 * The second key gets `1 / 2 ** exponent` of what the first gets, the third `1 / 3 ** exponent`, and
 * so on. An attacker that rotates keys uses a fresh one for a part of its hits, to fill the stores.
 */

export interface KeyOptions {
  /** @default 1 */
  readonly count?: number;
  /** @default 1 */
  readonly exponent?: number;
  /** The part of hits that come under a fresh key each. @default 0 */
  readonly rotating?: number;
}

/** Returns the keys of hits; undefined for a hit under a fresh key. */
export function keysOf(options: KeyOptions, random: () => number): () => string | undefined {
  const { count = 1, exponent = 1, rotating = 0 } = options;
  const shares: number[] = [];
  let sum = 0;
  for (let place = 1; place <= count; place++) {
    sum += place ** -exponent;
    shares.push(sum);
  }
  return () => {
    if (rotating > 0 && random() < rotating) return undefined;
    if (count === 1) return "key 0";
    const drawn = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (shares[middle]! > drawn) high = middle;
      else low = middle + 1;
    }
    return `key ${low}`;
  };
}
