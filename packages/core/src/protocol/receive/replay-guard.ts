/**
 * Replay protection: whether a frame is recent. An attacker can record sealed frames and send them
 * again, but cannot change them.
 *
 * Merging is idempotent, so a replayed frame says nothing new as long as this replica remembers its
 * sender. So frames are accepted for that long, and no longer. An unknown replica must have a clock
 * near the cluster's time, and a known one may not be far behind its own latest frame. Without a
 * secret any sender can make frames up, so there is nothing to protect.
 */

import type { Seal } from "../../wire/seal.ts";
import type { ClusterClock } from "../clock/cluster-clock.ts";
import type { Member } from "../membership/member.ts";

/**
 * How far the clock of an unknown replica may be from the cluster's time, and how late a frame may
 * be: ten minutes, and some seconds for the transport.
 */
export const FAR_MS: number = 10 * 60 * 1_000 + 10_000;
/** A clock may be fast at first, and the frame late after that. */
const REMEMBERED_MS = 2 * FAR_MS;
/** How much longer than a count lives its replica and its reset are remembered. */
const LATE_MS = 60_000;
/** How far a frame may be overtaken by a later one, or be repeated. */
const OVERTAKEN_MS = 5_000;
/** The most replicas with a wrong clock that are remembered. */
const REFUSED_MAX = 256;

export class ReplayGuard {
  /** Only if it seals frames are clocks compared. */
  readonly #seal: Seal;
  readonly #clock: ClusterClock;
  /** Replicas that were refused for their clock: when, and the time that it showed. */
  readonly #refused = new Map<string, { readonly atMs: number; readonly clockMs: number }>();

  constructor(seal: Seal, clock: ClusterClock) {
    this.#seal = seal;
    this.#clock = clock;
  }

  /** How long to remember the replica and the reset of counts that live so long. */
  rememberedMs(lifeMs: number): number {
    return Math.max(lifeMs + LATE_MS, this.#seal.isSealing ? REMEMBERED_MS : 0);
  }

  /** Whether a frame may be accepted, by the time at which its sender says it was sent. */
  isFresh(id: string, member: Member | undefined, sentAtMs: number): boolean {
    if (!this.#seal.isSealing) return true;
    if (member !== undefined) return sentAtMs >= member.clockMs - FAR_MS;
    const now = this.#clock.now();
    if (Math.abs(sentAtMs - this.#clock.clusterNow(now)) <= FAR_MS) return true;
    this.#refused.delete(id);
    if (this.#refused.size >= REFUSED_MAX) this.#refused.clear();
    this.#refused.set(id, { atMs: now, clockMs: sentAtMs });
    return false;
  }

  /** The clocks of replicas that were refused for them since some time. */
  refused(sinceMs: number): number[] {
    for (const [id, { atMs }] of this.#refused) if (atMs < sinceMs) this.#refused.delete(id);
    return Array.from(this.#refused.values(), ({ clockMs }) => clockMs);
  }

  /** Whether a request in a received frame is still current. */
  isCurrent(member: Member, sentAtMs: number): boolean {
    return member.isAlive && sentAtMs > member.clockMs - OVERTAKEN_MS;
  }
}
