/**
 * What replicas exchange and merge: the counts of one replica for one key. Read this page first.
 *
 * The counters are a CRDT (a state-based, grow-only counter with one entry per replica):
 *
 * 1. Each replica counts its own hits, and only raises its own numbers. No replica changes the
 *    count of another replica. The sum over all replicas is what a limit is compared with.
 * 2. A count (a `Component`) has an identity: (replica, generation, reset, period). The period is a
 *    window, a slot, or the time of a logged hit. Merging takes the maximum of each number of one
 *    identity. The larger numbers are always the later ones, so it
 *    does not matter how often or in which order deltas arrive.
 * 3. Numbers never go down. A refund raises a second number, and the difference counts (a
 *    PN-counter).
 * 4. What would lower a count begins a new identity instead. A reset is a tombstone: counts that
 *    began under a smaller reset do not count any more. An eviction raises the replica's
 *    generation, so a key that comes back never raises numbers that other replicas already have.
 *
 * Beside counts only two things merge, both by a maximum as well. A mark says "refuse this key
 * until then" (mark.ts). A checkpoint is the level of a bucket whose old slots were folded away
 * (checkpoint.ts). This folder is pure: no clock, no I/O, no state.
 */

/**
 * A count on its way out of or into a store. Replicas are named by their index in the store's
 * `Replicas`; the code that publishes or receives frames translates indexes to replica ids.
 */
export interface Component {
  /** The key's fingerprint, as two signed 32-bit integers. */
  low: number;
  high: number;
  /** Which of the limiter's policies counted. */
  policy: number;

  /** The replica that counted. */
  replica: number;
  /**
   * How many live entries the replica had evicted when it began this count, and how often its time
   * had stepped back.
   */
  generation: number;
  /** The largest reset that the replica knew when it began this count; 0 for none. */
  reset: number;
  /** Window: the replica that opened it. Otherwise the replica itself. */
  opener: number;
  /**
   * The period. Window: when its opener opened it, by the opener's clock. Grid: the slot. Log: the
   * time. Gauge: it has none, so the number of the frame that brought it; 0 for an own count.
   */
  period: number;

  /** P: hits counted. Log: the running total up to and including this time. */
  hits: number;
  /** N: of those, refunded or released. */
  refunds: number;
  /** R: hits refused, for policies that count them. */
  refusals: number;
}

/** An empty component, to be filled and reused. */
export function blankComponent(): Component {
  return {
    low: 0,
    high: 0,
    policy: 0,
    replica: 0,
    generation: 0,
    reset: 0,
    opener: 0,
    period: 0,
    hits: 0,
    refunds: 0,
    refusals: 0,
  };
}
