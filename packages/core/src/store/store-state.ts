/**
 * The state that all keys of a store share.
 *
 * The store has it as plain fields, so a check reads it in one step. The parts of the store see the
 * store only through this interface: each part raises the counter that it owns and reads the rest.
 */

export interface StoreState {
  /** This replica's time and the cluster's, as of the last `advance`. */
  readonly now: number;
  readonly clusterNow: number;
  /** The number of the frame in which what changes now will leave. */
  readonly frame: number;
  /** Evictions of live records with own counts, plus steps back of the cluster's time. */
  generation: number;
  /**
   * The last frame in which permits of an evicted record left: a replica that missed it needs all
   * held permits.
   */
  forgottenIn: number;
  /** Whether some permits of evicted records have never left and never will. */
  isHeldUntold: boolean;
  /** The state word of records that are up to date, of keys with only own hits. */
  ownState: number;
  /** What the resets of all keys contribute to every ticket. */
  resetsTie: number;
}
