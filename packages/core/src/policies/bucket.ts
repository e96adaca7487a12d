/**
 * What the token bucket and the leaky bucket share: they are one policy seen from two sides.
 *
 * A bucket's level falls at a steady rate and rises with every hit; tokens are the room that is
 * left. Levels are exact to the millisecond in one process.
 */

import { COUNT_MAX, missingOption, positiveNumber, wholeNumber } from "../base/options.ts";

/** The largest bucket: levels are kept in thousandths of a hit. */
export const BUCKET_CAPACITY_MAX: number = Math.floor(COUNT_MAX / 1_000);
/** The fastest rate, in hits per second. */
const RATE_MAX = 1e9;

export function bucketCapacity(place: string, capacity: unknown): number {
  if (capacity === undefined) throw missingOption(place, "capacity", "how many hits at once");
  return wholeNumber("capacity", capacity, 0, BUCKET_CAPACITY_MAX);
}

export function bucketRate(place: string, option: string, rate: unknown): number {
  if (rate === undefined) throw missingOption(place, option, "how many hits per second");
  return positiveNumber(option, rate, RATE_MAX);
}
