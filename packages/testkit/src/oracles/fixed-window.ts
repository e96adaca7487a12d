/**
 * The reference for the fixed window: it opens with the first hit and forgets everything at its
 * end.
 *
 * A hit that costs nothing opens no window, and a refused hit opens none. With `countRefused`, a
 * refused hit counts like any other in the open window.
 */

import { createOracle, type Oracle, type OracleHit } from "./oracle.ts";

/** The reference for `fixedWindow`. */
export function fixedWindowOracle(options: {
  limit: number;
  windowMs: number;
  countRefused?: boolean;
}): Oracle {
  const { limit, windowMs, countRefused = false } = options;
  return createOracle({
    limit,
    unitsPerHit: 1n,
    level: (hits, atMs) => levelSinceOpening(hits, atMs, windowMs, countRefused),
  });
}

function levelSinceOpening(
  hits: readonly OracleHit[],
  atMs: number,
  windowMs: number,
  countRefused: boolean,
): bigint {
  let openedAtMs = -Infinity;
  let counted = 0;
  for (const hit of hits) {
    const live = hit.atMs < openedAtMs + windowMs;
    if (hit.refused && !(countRefused && live)) continue;
    if (!live) {
      openedAtMs = hit.atMs;
      counted = 0;
    }
    counted += hit.cost - hit.refunded;
  }
  return atMs < openedAtMs + windowMs ? BigInt(counted) : 0n;
}
