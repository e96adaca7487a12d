/** The reference for calendar windows: the hits allowed since the current window began. */

import { countedUnits, createOracle, type Oracle } from "./oracle.ts";

/**
 * The reference for a calendar window; `windowOf` returns the start and end of the window around a
 * time.
 */
export function calendarOracle(options: {
  limit: number;
  windowOf: (epochMs: number) => readonly [startsAtMs: number, endsAtMs: number];
}): Oracle {
  const { limit, windowOf } = options;
  return createOracle({
    limit,
    unitsPerHit: 1n,
    level: (hits, atMs) => {
      const [startsAtMs, endsAtMs] = windowOf(atMs);
      return countedUnits(hits.filter((hit) => hit.atMs >= startsAtMs && hit.atMs < endsAtMs));
    },
  });
}
