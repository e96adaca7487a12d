/**
 * Whether frames come faster than this replica can merge them, and saying so.
 *
 * While frames are dropped, requests for what they said would only add to the load, so they wait until
 * nothing has been dropped for a while.
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
      "others count faster than this process can merge: counts that have waited for a second are dropped, and asked for once there is time. Until then it decides on fewer hits than there are",
      CLUSTER_EVENTS.overloaded,
    );
  }

  /** Whether to wait with requests. */
  isDropping(now: number): boolean {
    return now < this.#droppedAtMs + QUIET_MS;
  }

  /** Looks whether it is over. */
  look(now: number): void {
    if (!this.isGoingOn || now < this.#droppedAtMs + OVER_MS) return;
    this.isGoingOn = false;
    this.#report(
      "this process merges what others count in time again",
      CLUSTER_EVENTS.overloadOver,
    );
  }
}
