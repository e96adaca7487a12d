/**
 * What is known of one key, put together for whoever asks.
 */

import type { Decision, PolicyResult } from "../base/decision.ts";
import { MARK_KINDS, markWaitMs } from "../crdt/mark.ts";
import type { Store } from "../store/store.ts";
import type { Inspection } from "./limiter.ts";

/** The marks of a key that are not over or void at the limit that they are of. */
export function marksOf(
  store: Store,
  low: number,
  high: number,
  limit: number,
): Inspection["marks"] {
  const note = store.notes.find(low, high);
  if (note === undefined) return [];
  const known = store.knownMarkReset(note);
  return MARK_KINDS.flatMap((kind, index) => {
    const mark = note.marks[index];
    if (mark === undefined) return [];
    const remainingMs = markWaitMs(mark, known, limit, store.clusterNow);
    return remainingMs > 0 ? [{ kind, remainingMs }] : [];
  });
}

/** The decision of a limiter's only policy as that policy's own. */
export function resultOf(decision: Decision): PolicyResult {
  const { policy, allowed, limit, used, remaining, resetMs, retryAfterMs, waitMs } = decision;
  return { policy, allowed, limit, used, remaining, resetMs, retryAfterMs, waitMs };
}
