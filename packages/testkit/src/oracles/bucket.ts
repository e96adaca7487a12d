/**
 * The reference for the token bucket and the leaky bucket, which are the same: tokens = capacity -
 * level.
 *
 * At the start of each slot, the level falls by what drains in one slot, down to zero. Then the
 * slot's hits add to it. With slots of a millisecond this is the exact bucket. The unit is so small
 * that one hit is a whole number of units, for any rate that a number can hold. So is what drains
 * in a millisecond.
 */

import { createOracle, type Oracle, type OracleHit } from "./oracle.ts";

/** The reference for `tokenBucket` and, with `maxWaitMs`, for a `leakyBucket` that shapes. */
export function bucketOracle(options: {
  capacity: number;
  perSecond: number;
  slotMs?: number;
  maxWaitMs?: number;
}): Oracle {
  const { capacity, perSecond, slotMs = 1, maxWaitMs } = options;
  const rate = fraction(perSecond);
  const unitsPerHit = 1_000n * rate.denominator;
  const unitsPerMs = rate.numerator;
  const unitsPerSlot = unitsPerMs * BigInt(slotMs);

  const level = (hits: readonly OracleHit[], atMs: number): bigint => {
    let units = 0n;
    let slot = 0;
    const enter = (ms: number): void => {
      const entered = Math.floor(ms / slotMs);
      // Slots without hits drain one after the other, which is the same as all at once.
      units -= unitsPerSlot * BigInt(entered - slot);
      if (units < 0n) units = 0n;
      slot = entered;
    };
    for (const hit of hits) {
      if (hit.refused) continue;
      enter(hit.atMs);
      units += BigInt(hit.cost - hit.refunded) * unitsPerHit;
    }
    enter(atMs);
    return units;
  };

  const rule = { limit: capacity, unitsPerHit, level };
  if (maxWaitMs === undefined) return createOracle(rule);
  const waitMs = (excess: bigint): number => Number((excess + unitsPerMs - 1n) / unitsPerMs);
  return createOracle({ ...rule, shaping: { maxWaitMs, waitMs } });
}

/** The exact value of a rate as a fraction: doubling a binary number loses nothing. */
function fraction(value: number): { numerator: bigint; denominator: bigint } {
  if (!(value > 0 && value < Infinity)) throw new RangeError("a rate is a number above zero");
  let numerator = value;
  let denominator = 1n;
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    denominator *= 2n;
  }
  return { numerator: BigInt(numerator), denominator };
}
