/** The reference for the sliding log: the allowed hits that are younger than the window. */

import { countedUnits, createOracle, type Oracle } from "./oracle.ts";

/** The reference for `slidingLog`. */
export function slidingLogOracle(options: { limit: number; windowMs: number }): Oracle {
  const { limit, windowMs } = options;
  return createOracle({
    limit,
    unitsPerHit: 1n,
    level: (hits, atMs) => countedUnits(hits.filter((hit) => atMs - hit.atMs < windowMs)),
  });
}
