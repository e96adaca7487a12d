/**
 * Whether this replica is overloaded: frames arrive faster than it can merge them. Reports the
 * begin and the end of it.
 *
 * While frames are dropped, sync requests for their counts would only add to the load. They wait
 * until nothing has been dropped for a while.
 */

import { CLUSTER_EVENTS, type Report } from "../../base/cluster-events.ts";

/** How long nothing must have been dropped for a request to be of use. */
const QUIET_MS = 1_000;
/** How long nothing must have been dropped for the overload to be over. */
const OVER_MS = 10_000;

export class Overload {
  /** Whether frames have been dropped of late. */
  isGoingOn = false;
  readonly #report: Report;
  #droppedAtMs = Number.NEGATIVE_INFINITY;

  constructor(report: Report) {
    this.#report = report;
  }

  /** Frames of counts have been dropped. */
  dropped(now: number): void {
    this.#droppedAtMs = now;
    if (this.isGoingOn) return;
    this.isGoingOn = true;
    this.#report(
      "other processes count faster than this one can merge: counts that have waited for a second are dropped, and requested again later. Until then this process decides on fewer hits than there are",
      CLUSTER_EVENTS.overloaded,
    );
  }

  /** Whether to hold sync requests back. */
  isDropping(now: number): boolean {
    return now < this.#droppedAtMs + QUIET_MS;
  }

  /** Looks whether the overload is over. */
  look(now: number): void {
    if (!this.isGoingOn || now < this.#droppedAtMs + OVER_MS) return;
    this.isGoingOn = false;
    this.#report(
      "this process merges the counts of other processes in time again",
      CLUSTER_EVENTS.overloadOver,
    );
  }
}
