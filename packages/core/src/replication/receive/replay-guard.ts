/**
 * Whether a frame is of late: who records sealed frames can send them again, and cannot change them.
 *
 * Merging is idempotent, so what was heard before says nothing new; that holds as long as it is
 * remembered who said it. So frames may be sent again for as long as that is, and no longer: a
 * replica that is not known has to have a clock near the cluster's, and one that is known may not be
 * far behind itself. Without a secret anybody can make frames up, and there is nothing to protect.
 */

import type { ClusterClock } from "../clock/cluster-clock.ts";
import type { Member } from "../membership/member.ts";

/**
 * How far a clock may be from the cluster's for its replica to be let in, and how late a frame: ten
 * minutes, and some seconds that frames may take.
 */
export const FAR_MS: number = 10 * 60 * 1_000 + 10_000;
/** A clock may be fast at first and the frame late after that. */
const REMEMBERED_MS = 2 * FAR_MS;
/** How much longer than what lives so long it is remembered who counted it and what ended it. */
const LATE_MS = 60_000;
/** Frames overtake each other by so much at most, or are sent again. */
const OVERTAKEN_MS = 5_000;
/** Replicas with a wrong clock that are told apart. */
const REFUSED_MAX = 256;

export class ReplayGuard {
  /** Whether frames carry a seal, and so only those are believed whose clock is near. */
  readonly isSealing: boolean;
  readonly #clock: ClusterClock;
  /** Replicas that were refused for their clock: when, and what it showed. */
  readonly #refused = new Map<string, { readonly atMs: number; readonly clockMs: number }>();

  constructor(isSealing: boolean, clock: ClusterClock) {
    this.isSealing = isSealing;
    this.#clock = clock;
  }

  /** How long to remember who counted what lives so long, and what ended it. */
  rememberedMs(lifeMs: number): number {
    return Math.max(lifeMs + LATE_MS, this.isSealing ? REMEMBERED_MS : 0);
  }

  /** Whether a frame may be believed, by when its sender says that it was sent. */
  isFresh(id: string, member: Member | undefined, sentAtMs: number): boolean {
    if (!this.isSealing) return true;
    if (member !== undefined) return sentAtMs >= member.clockMs - FAR_MS;
    const now = this.#clock.now();
    if (Math.abs(sentAtMs - this.#clock.clusterNow(now)) <= FAR_MS) return true;
    this.#refused.delete(id);
    if (this.#refused.size >= REFUSED_MAX) this.#refused.clear();
    this.#refused.set(id, { atMs: now, clockMs: sentAtMs });
    return false;
  }

  /** What the clocks of replicas showed that were refused for that since some time. */
  refused(sinceMs: number): number[] {
    for (const [id, { atMs }] of this.#refused) if (atMs < sinceMs) this.#refused.delete(id);
    return Array.from(this.#refused.values(), ({ clockMs }) => clockMs);
  }

  /** Whether a replica still wants what it asked for in a frame that has been heard. */
  isCurrent(member: Member, sentAtMs: number): boolean {
    return member.isAlive && sentAtMs > member.clockMs - OVERTAKEN_MS;
  }
}
