/** The reference for windows that the calendar cuts: what was let in since this one began. */

import { countedUnits, createOracle, type Oracle } from "./oracle.ts";

/** The reference for a calendar window; `windowOf` says from when to when the one around t lasts. */
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
