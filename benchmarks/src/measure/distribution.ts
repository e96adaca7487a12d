/**
 * Which keys are asked for, and how many different ones that makes.
 *
 * The second half keeps the benchmarks honest: a scenario that says it walks over a million keys
 * compares the keys it touched with what its distribution predicts, and stops if they differ.
 */

/** The distributions by name. */
export type Spread = "uniform" | "zipf";

/** How requests spread over keys. */
export interface Distribution {
  /** Draws the number of the key that the next request is for. */
  draw(random: () => number): number;
  /** How many different keys `requests` draws are expected to touch. */
  expectedDistinct(requests: number): number;
}

const ZIPF_EXPONENT = 1;

export function distributionOf(spread: Spread, keys: number): Distribution {
  return spread === "uniform" ? uniform(keys) : zipf(keys, ZIPF_EXPONENT);
}

/** Every key is as likely as every other. One key makes a hot key. */
export function uniform(keys: number): Distribution {
  return {
    draw: (random) => Math.floor(random() * keys),
    expectedDistinct: (requests) => keys * (1 - (1 - 1 / keys) ** requests),
  };
}

/** The key of rank r, counted from 1, is asked for in proportion to 1 / r^exponent. */
export function zipf(keys: number, exponent: number): Distribution {
  const cumulative = new Float64Array(keys);
  let sum = 0;
  for (let rank = 1; rank <= keys; rank++) {
    sum += rank ** -exponent;
    cumulative[rank - 1] = sum;
  }
  return {
    draw: (random) => firstAbove(cumulative, random() * sum),
    expectedDistinct: (requests) => {
      let distinct = 0;
      for (let rank = 1; rank <= keys; rank++) {
        distinct += 1 - (1 - rank ** -exponent / sum) ** requests;
      }
      return distinct;
    },
  };
}

/** The position of the first entry greater than `value`. */
function firstAbove(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
