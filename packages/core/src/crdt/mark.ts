/**
 * The one verdict that travels: "refuse this key until then", written by a block, a ban, a penalty
 * or a drain.
 *
 * Marks of one kind are ordered by reset, then time, then limit, and the larger one wins, so they
 * merge like counts do. A mark is void once a larger reset is known, and for a caller whose limit
 * is above the one it was written under: raising a limit lifts what the old limit caused.
 */

/** Why a key is refused beside its counts; also the index of the mark's kind. */
export const MARK_KINDS = ["block", "penalty", "drain"] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

/** A mark reaches at most this far ahead, so that none can shut a key out for good: ten years. */
export const MARK_MS_MAX: number = 10 * 365 * 24 * 60 * 60 * 1_000;

export interface Mark {
  /** The largest reset known to its writer. */
  readonly reset: number;
  /** The end of the refusal, in the cluster's time. */
  readonly untilMs: number;
  /** The limit that caused it; infinite when it holds whatever the limit. */
  readonly limit: number;
}

/** The later of two marks of one kind. */
export function laterMark(known: Mark | undefined, heard: Mark): Mark {
  if (known === undefined) return heard;
  if (heard.reset !== known.reset) return heard.reset > known.reset ? heard : known;
  if (heard.untilMs !== known.untilMs) return heard.untilMs > known.untilMs ? heard : known;
  return heard.limit > known.limit ? heard : known;
}

/** How long the mark still refuses, 0 when it does not. */
export function markWaitMs(
  mark: Mark,
  knownReset: number,
  limit: number,
  clusterNow: number,
): number {
  if (mark.reset < knownReset || limit > mark.limit) return 0;
  return Math.max(0, mark.untilMs - clusterNow);
}
