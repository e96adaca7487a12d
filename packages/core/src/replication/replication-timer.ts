/**
 * The one timer of replication; it never keeps the process alive.
 *
 * It also measures for how long the event loop was blocked, which explains late frames.
 */

import type { ClusterClock } from "./clock/cluster-clock.ts";

/** Longer waits are split. */
const WAIT_MS_MAX = 60_000;
/** A timer that fires later than that shows that the event loop was blocked. */
const BLOCKED_MS = 100;

export class ReplicationTimer {
  readonly #clock: ClusterClock;
  readonly #work: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #atMs: number = Number.POSITIVE_INFINITY;
  /** For how long the event loop has been blocked so far, in all, as far as late timers show. */
  blockedMs = 0;

  constructor(clock: ClusterClock, work: () => void) {
    this.#clock = clock;
    this.#work = work;
  }

  /** Wakes at this own time, unless it is to wake sooner. */
  at(atMs: number): void {
    if (atMs >= this.#atMs) return;
    this.#atMs = atMs;
    clearTimeout(this.#timer);
    const now = this.#clock.now();
    const waitMs = Math.min(Math.max(0, atMs - now), WAIT_MS_MAX);
    this.#timer = setTimeout(() => {
      this.#atMs = Number.POSITIVE_INFINITY;
      const lateMs = this.#clock.now() - (now + waitMs);
      if (lateMs > BLOCKED_MS) this.blockedMs += lateMs;
      this.#work();
    }, waitMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#atMs = Number.NEGATIVE_INFINITY;
  }
}
