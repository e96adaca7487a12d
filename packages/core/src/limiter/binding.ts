/**
 * Whose numbers a decision shows, where several policies were asked.
 */

import type { PolicyResult } from "../decision.ts";

/** The refusing policy with the longest wait, or the one with the least remaining. */
export function binding(results: readonly PolicyResult[]): PolicyResult {
  let chosen = results[0]!;
  let waitMs = 0;
  for (const result of results) {
    waitMs = Math.max(waitMs, result.waitMs);
    if (result.allowed !== chosen.allowed) {
      if (!result.allowed) chosen = result;
    } else if (
      result.allowed
        ? result.remaining < chosen.remaining
        : result.retryAfterMs > chosen.retryAfterMs
    ) {
      chosen = result;
    }
  }
  return waitMs === chosen.waitMs ? chosen : { ...chosen, waitMs };
}
