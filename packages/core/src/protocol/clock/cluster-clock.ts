/**
 * The three times of a replica, and what lies between them.
 *
 *     own        milliseconds since this process started; its windows are kept in it
 *     raw        the same clock, from an origin near 1970; what it publishes
 *     cluster's  the median of all replicas' raw clocks; slots and resets are kept in it
 *
 * The raw clock never follows the cluster's time, or all clocks would drift together. The cluster's
 * time follows slowly when the median moves a little, so that no slot is cut short or counted
 * twice.
 *
 * This is arithmetic: the caller of the replica reads the machine's clocks, and passes what they
 * show to each call.
 */

/** How fast the cluster's time is corrected: by at most this part of the time that passes. */
const SLEW = 0.005;
/** A larger correction than this is made at once. */
const STEP_MS = 1_000;

export class ClusterClock {
  #nowMs: number;
  /** What to add to own time to have the time of the wall clock, as it was read last. */
  #wallOriginMs: number;
  #originMs: number;
  /** For how long this process has been blocked so far, in all, as far as late ticks show. */
  blockedMs = 0;
  /** When the raw clock was set, in own time. */
  renewedAtMs: number = Number.NEGATIVE_INFINITY;
  #offsetMs = 0;
  #followedAt = 0;

  constructor(nowMs: number, wallMs: number) {
    this.#nowMs = nowMs;
    this.#wallOriginMs = Math.max(0, wallMs - nowMs);
    this.#originMs = this.#wallOriginMs;
  }

  /** The own time of the call that goes on. */
  now(): number {
    return this.#nowMs;
  }

  /** A call begins at this own time. */
  advance(nowMs: number): void {
    this.#nowMs = nowMs;
  }

  /** The wall clock shows this now. */
  wallRead(wallMs: number): void {
    this.#wallOriginMs = Math.max(0, wallMs - this.#nowMs);
  }

  /** What to add to own time to have the raw clock. */
  get originMs(): number {
    return this.#originMs;
  }

  rawNow(): number {
    return Math.max(0, this.#nowMs + this.#originMs);
  }

  /** How far the wall clock is ahead of the raw clock: by what it was set since the start. */
  wallAheadMs(): number {
    return this.#wallOriginMs - this.#originMs;
  }

  /** Takes the time of the wall clock. Only a replica with a new id may set its raw clock. */
  renew(): void {
    this.renewedAtMs = this.#nowMs;
    this.#originMs = this.#wallOriginMs;
    this.#offsetMs = 0;
  }

  /** What is added to the raw clock to have the cluster's. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  clusterNow(now: number): number {
    return Math.max(0, Math.floor(now + this.#originMs + this.#offsetMs));
  }

  /**
   * Moves the cluster's time towards where it should be; returns whether it has jumped ahead.
   *
   * @param offsetMs what should be added to the raw clock
   * @param canStep whether nothing has been counted by the cluster's time yet
   */
  follow(now: number, offsetMs: number, canStep: boolean): boolean {
    const distance = offsetMs - this.#offsetMs;
    const reach = SLEW * (now - this.#followedAt);
    this.#followedAt = now;
    if (canStep || Math.abs(distance) > STEP_MS || Math.abs(distance) <= reach) {
      this.#offsetMs = offsetMs;
    } else {
      this.#offsetMs += Math.sign(distance) * reach;
    }
    return distance > STEP_MS;
  }
}
