/**
 * A mark: "refuse this key until then". A block, a ban, a penalty or a drain writes it.
 *
 * It is the only decision that replicates. Marks of one kind are ordered by reset, then time, then
 * limit. A merge keeps the larger one, so marks merge like counts do: the order of arrival does not
 * matter. A mark is void once a larger reset is known. It is also void for a call whose limit is
 * above the one that it was written under. So to raise a limit lifts the marks that the old limit
 * caused.
 */

/** Why a key is refused although its counts allow it; also the index of the mark's kind. */
export const MARK_KINDS = ["block", "penalty", "drain"] as const;
export type MarkKind = (typeof MARK_KINDS)[number];

/** A mark reaches at most ten years ahead, so that none can refuse a key for good. */
export const MARK_MS_MAX: number = 10 * 365 * 24 * 60 * 60 * 1_000;

export interface Mark {
  /** The largest reset that its writer knew. */
  readonly reset: number;
  /** The end of the refusal, in the cluster's time. */
  readonly untilMs: number;
  /** The limit that caused it; infinite when it holds for every limit. */
  readonly limit: number;
}

/** The later of two marks of one kind. */
export function laterMark(known: Mark | undefined, received: Mark): Mark {
  if (known === undefined) return received;
  if (received.reset !== known.reset) return received.reset > known.reset ? received : known;
  if (received.untilMs !== known.untilMs)
    return received.untilMs > known.untilMs ? received : known;
  return received.limit > known.limit ? received : known;
}

/** How long the mark still refuses; 0 when it does not. */
export function markWaitMs(
  mark: Mark,
  knownReset: number,
  limit: number,
  clusterNow: number,
): number {
  if (mark.reset < knownReset || limit > mark.limit) return 0;
  return Math.max(0, mark.untilMs - clusterNow);
}
