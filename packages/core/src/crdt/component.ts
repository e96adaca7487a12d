/**
 * What one replica has counted for one key: the only thing that replicas exchange and merge.
 *
 * Its identity is the tuple (replica, generation, reset, place). A replica raises its own counts
 * and nobody else's, so of two reports of one identity the larger counts are the later ones, and
 * reports of different identities add up. Nothing else about a key is ever merged.
 */

/**
 * A component on its way out of or into a store. Replicas are named by their index in the store's
 * `Replicas`; whoever talks to others translates indexes to ids.
 */
export interface Component {
  /** The key's fingerprint, as two signed 32-bit integers. */
  low: number;
  high: number;
  /** Which of the limiter's policies counted. */
  policy: number;

  /** Who counted. */
  replica: number;
  /** How many live entries the replica had given up when it began this component, and how often time had stepped back. */
  generation: number;
  /** The largest reset that the replica knew when it began this component; 0 for none. */
  reset: number;
  /** Window: who opened it. Otherwise the replica itself. */
  opener: number;
  /**
   * Window: when its opener opened it, by the opener's clock. Grid: the slot. Log: the time. Gauge: none,
   * so the number of the frame in which it was heard; 0 for an own one.
   */
  place: number;

  /** P: hits counted. Log: the running total up to and including this time. */
  hits: number;
  /** N: of those, given back or released. */
  refunds: number;
  /** R: hits refused, for policies that count them. */
  refusals: number;
}

/** A component with nothing in it, to be filled and reused. */
export function blankComponent(): Component {
  return {
    low: 0,
    high: 0,
    policy: 0,
    replica: 0,
    generation: 0,
    reset: 0,
    opener: 0,
    place: 0,
    hits: 0,
    refunds: 0,
    refusals: 0,
  };
}
