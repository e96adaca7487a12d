/**
 * What holds for all keys of a store at present.
 *
 * The store itself has these as plain fields, so that a check reads them in one step. Its parts are
 * given the store as this and nothing more: each raises what is its own to raise and reads the rest.
 */

export interface StoreState {
  /** This replica's time and the cluster's, as of the last `advance`. */
  readonly now: number;
  readonly clusterNow: number;
  /** The number of the frame in which what changes now will leave. */
  readonly frame: number;
  /**
   * How many live records with something of this replica's own have been given up, and how often the
   * cluster's time has stepped back.
   */
  generation: number;
  /** The latest frame in which something left of a gauge that is gone: whoever missed it needs all that is held. */
  forgottenIn: number;
  /** Whether some of that has not left and never will. */
  isHeldUntold: boolean;
  /** The state of records that are up to date, of keys of which only own hits are known. */
  ownState: number;
  /** What the resets of all keys add to every ticket. */
  resetsTie: number;
}
