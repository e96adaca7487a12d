/** Puts together what a store knows of one key. */

import type { Decision, PolicyResult } from "../base/decision.ts";
import { MARK_KINDS, markWaitMs } from "../crdt/mark.ts";
import type { Store } from "../store/store.ts";
import type { Inspection } from "./limiter.ts";

/** The marks of a key that still hold at the limit they were written for. */
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

/** The decision of a single-policy limiter, as the result of that policy. */
export function resultOf(decision: Decision): PolicyResult {
  const { policy, allowed, limit, used, remaining, resetMs, retryAfterMs, waitMs } = decision;
  return { policy, allowed, limit, used, remaining, resetMs, retryAfterMs, waitMs };
}
