/**
 * The penalties of a refusal: a restarted wait, a backoff, a ban, a drain.
 *
 * Each is a mark on the key, so every replica enforces it. A mark holds for the limit that it was
 * written under and for lower ones, so a raised limit lifts it. Only one policy of a limiter may
 * have penalties.
 */

import type { RefusalReason } from "../base/decision.ts";
import { MARK_KINDS, MARK_MS_MAX, markWaitMs } from "../crdt/mark.ts";
import type { FixedWindowPolicy } from "../policies/fixed-window.ts";
import type { Rule } from "../store/shapes/make-rule.ts";
import type { Store } from "../store/store.ts";
import type { Inspection } from "./limiter.ts";

const BLOCK: number = MARK_KINDS.indexOf("block");
const PENALTY: number = MARK_KINDS.indexOf("penalty");
const DRAIN: number = MARK_KINDS.indexOf("drain");

/** Refuses a key for `forMs` from now on, whatever its counts are. */
export function block(store: Store, low: number, high: number, forMs: number): void {
  const untilMs = store.clusterNow + Math.min(forMs, MARK_MS_MAX);
  store.mark(low, high, BLOCK, untilMs, Number.POSITIVE_INFINITY);
}

/** Refuses a key until its window ends, for callers with this limit or a lower one. */
export function drain(
  store: Store,
  low: number,
  high: number,
  limit: number,
  resetMs: number,
): void {
  store.mark(low, high, DRAIN, store.clusterNow + resetMs, limit);
}

/** Marks a key whose hit the policy has just refused under `limit`. */
export function punish(
  store: Store,
  low: number,
  high: number,
  policy: FixedWindowPolicy,
  rule: Rule,
  limit: number,
  resetMs: number,
): void {
  const now = store.clusterNow;
  if (policy.ban !== null && rule.refusals > policy.ban.after) {
    block(store, low, high, policy.ban.forMs);
  }
  if (policy.restart) {
    const untilMs = now + Math.min(policy.windowMs, MARK_MS_MAX);
    store.mark(low, high, PENALTY, untilMs, limit);
  }
  if (policy.backoff !== null) {
    const { factor, maxMs } = policy.backoff;
    const grown = policy.windowMs * factor ** Math.max(0, rule.refusals - 1);
    const untilMs = now + Math.min(Math.ceil(grown), maxMs, MARK_MS_MAX);
    store.mark(low, high, PENALTY, untilMs, limit);
  }
  if (policy.drain) drain(store, low, high, limit, resetMs);
}

/** What the marks of a key mean for one call. */
export class MarkedWait {
  /** How long they still refuse the key; 0 when they do not. */
  waitMs = 0;
  reason: RefusalReason | null = null;

  /** @param limit what the policy with penalties allows in this call */
  read(store: Store, low: number, high: number, limit: number): void {
    this.waitMs = 0;
    this.reason = null;
    const note = store.notes.find(low, high);
    if (note === undefined) return;
    const known = store.resets.knownForMarks(note);
    for (let kind = 0; kind < MARK_KINDS.length; kind++) {
      const mark = note.marks[kind];
      if (mark === undefined) continue;
      const waitMs = markWaitMs(mark, known, limit, store.clusterNow);
      if (waitMs > 0) this.reason ??= MARK_KINDS[kind]!;
      if (waitMs > this.waitMs) this.waitMs = waitMs;
    }
  }
}

/** The marks of a key that still hold at the limit they were written for. */
export function marksOf(
  store: Store,
  low: number,
  high: number,
  limit: number,
): Inspection["marks"] {
  const note = store.notes.find(low, high);
  if (note === undefined) return [];
  const known = store.resets.knownForMarks(note);
  return MARK_KINDS.flatMap((kind, index) => {
    const mark = note.marks[index];
    if (mark === undefined) return [];
    const remainingMs = markWaitMs(mark, known, limit, store.clusterNow);
    return remainingMs > 0 ? [{ kind, remainingMs }] : [];
  });
}
