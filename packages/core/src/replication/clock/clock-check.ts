/**
 * Whether other replicas refuse this one for its clock, in a cluster with a secret.
 *
 * The raw clock is the wall clock at the start plus the time that has passed. It is wrong for good
 * after a machine was suspended, and where a process started before the wall clock was set.
 * Replicas that do not know this one, or have forgotten it, then take its frames for replays.
 *
 * Two signs together make this replica take a new id and the time of the wall clock: its wall clock
 * has moved away from its raw clock, and another replica shows the time of the wall clock. Neither
 * is enough alone: an operator may set the wall clock to any time, and an attacker may replay old
 * frames.
 */

import type { Membership } from "../membership/membership.ts";
import { FAR_MS, type ReplayGuard } from "../receive/replay-guard.ts";
import { clusterOffsetMs } from "./clock-offset.ts";
import type { ClusterClock } from "./cluster-clock.ts";

/** Half of what other replicas accept, since their clocks may be off as well. */
const STALE_MS = FAR_MS / 2;
/** Clocks that show the same time differ by less. */
const SAME_MS = 60_000;

export interface ClockCheckOptions {
  readonly clock: ClusterClock;
  readonly members: Membership;
  readonly replayGuard: ReplayGuard;
  /** For how long a replica may be silent and still be taken to be alive. */
  readonly silentMs: number;
}

export class ClockCheck {
  readonly #options: ClockCheckOptions;

  constructor(options: ClockCheckOptions) {
    this.#options = options;
  }

  /** Whether the wall clock is right and the raw clock is not. */
  isStale(now: number): boolean {
    const { clock, replayGuard } = this.#options;
    if (!replayGuard.isSealing) return false;
    const wallAheadMs = clock.wallAheadMs();
    if (Math.abs(wallAheadMs) <= STALE_MS) return false;
    const aheadMs = [...this.#aheadOfReceived(), ...this.#refused(now)];
    return aheadMs.some((each) => Math.abs(each - wallAheadMs) <= SAME_MS);
  }

  /** How many other replicas refuse this one for its clock, or are refused for theirs; mostly 0. */
  countApart(now: number): number {
    if (!this.#options.replayGuard.isSealing) return 0;
    const received = this.#aheadOfReceived();
    if (received.length === 0) return this.#refused(now).length;
    const [first = 0] = received;
    // Two clocks have no median.
    const aheadMs = received.length === 1 ? first : clusterOffsetMs(received.map((each) => -each));
    return Math.abs(aheadMs) > FAR_MS ? received.length : 0;
  }

  #aheadOfReceived(): number[] {
    const { members, clock } = this.#options;
    return Array.from(members.all())
      .filter(({ isAlive, isReceivedHere }) => isAlive && isReceivedHere)
      .map(({ offset }) => -(offset.offsetMs + clock.originMs));
  }

  #refused(now: number): number[] {
    const { clock, replayGuard, silentMs } = this.#options;
    return replayGuard.refused(now - silentMs).map((clockMs) => clockMs - (now + clock.originMs));
  }
}
