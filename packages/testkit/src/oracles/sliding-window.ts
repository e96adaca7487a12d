/**
 * The reference for the sliding window: the latest slots in full, the one before them in part.
 *
 *     slots = 3     trailing ┌────────── full ──────────┐
 *               |░░░░▓▓▓▓▓▓▓▓|▓▓▓▓▓▓▓▓▓▓▓▓|▓▓▓▓▓▓▓▓▓▓▓▓|▓▓▓▓········|
 *                    └── windowMs before now                  └ now
 *
 * One hit is as many units as a slot has milliseconds, which makes the part a whole number.
 */

import { countedUnits, createOracle, type Oracle } from "./oracle.ts";

/** The reference for `slidingWindow`; `slots` must divide `windowMs`. */
export function slidingWindowOracle(options: {
  limit: number;
  windowMs: number;
  slots: number;
}): Oracle {
  const { limit, windowMs, slots } = options;
  const slotMs = windowMs / slots;
  if (!Number.isSafeInteger(slotMs)) throw new RangeError("slots must divide windowMs");
  return createOracle({
    limit,
    unitsPerHit: BigInt(slotMs),
    level: (hits, atMs) => {
      const current = Math.floor(atMs / slotMs);
      const elapsedMs = atMs - current * slotMs;
      const inSlots = (first: number, last: number): bigint =>
        countedUnits(
          hits.filter((hit) => {
            const slot = Math.floor(hit.atMs / slotMs);
            return slot >= first && slot <= last;
          }),
        );
      const full = inSlots(current - slots + 1, current);
      const trailing = inSlots(current - slots, current - slots);
      return full * BigInt(slotMs) + trailing * BigInt(slotMs - elapsedMs);
    },
  });
}
