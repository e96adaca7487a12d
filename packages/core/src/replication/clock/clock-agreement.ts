/**
 * What time it is for all replicas together, and whose clock does not show it.
 *
 * Several replicas take the middle of their clocks. Of two there is no middle: the one that has been
 * there for longer stands, so a process that starts with a wrong clock does not move the other. Whoever
 * is far off is left out by that, wherever it is; operators are told, at that replica and at all others.
 */

import { CLUSTER_EVENTS, type EventKind, type Report } from "../../base/cluster-events.ts";
import type { Replicas } from "../../store/replicas/replicas.ts";
import type { Member } from "../membership/member.ts";
import type { Membership } from "../membership/membership.ts";
import { FAR_MS } from "../receive/replay-guard.ts";
import { clusterOffsetMs } from "./clock-offset.ts";
import type { ClusterClock } from "./cluster-clock.ts";

/** A clock that is further off than this is worth a look. */
const OFF_MS = 1_000;
/** How long a replica has nothing of its own to stand on. */
const NEW_MS = 500;
/** Who has been there for about as long is not the elder for that: the smaller id decides then. */
const SAME_AGE_MS = 1_000;

export interface ClockAgreementOptions {
  readonly clock: ClusterClock;
  readonly members: Membership;
  readonly replicas: Replicas;
  readonly beganAtMs: number;
  readonly report: Report;
}

export class ClockAgreement {
  readonly #options: ClockAgreementOptions;
  readonly #off = new Set<Member>();
  #isOff = false;
  /** Whether anybody's clock has been followed. */
  #hasAgreed = false;

  constructor(options: ClockAgreementOptions) {
    this.#options = options;
  }

  /** For how long this replica has been there. */
  upMs(now: number): number {
    return now - this.#options.beganAtMs;
  }

  /**
   * A frame of a replica is about to be read. A newcomer takes its time from those that it has heard:
   * what is in it may be kept in slots, and those of another time would be none of its business.
   */
  heard(now: number): void {
    if (this.#hasAgreed || this.upMs(now) > NEW_MS) return;
    const offsetsMs = this.#heard().map((member) => this.#offsetMs(member));
    const [first = 0, ...others] = offsetsMs;
    // The middle of theirs: this one's own is no better than what it would count by alone.
    const fromFirstMs = clusterOffsetMs(others.map((offsetMs) => offsetMs - first));
    if (offsetsMs.length > 0) this.#options.clock.follow(now, fromFirstMs - first, true);
  }

  /**
   * Moves the cluster's time to where it should be, and says who is far from it; returns whether it has
   * jumped ahead.
   */
  agree(now: number): boolean {
    const { clock } = this.#options;
    const alive = this.#heard();
    // Who is the elder of two is known from a heartbeat.
    if (alive.length === 0 || (alive.length === 1 && alive[0]!.upMs === undefined)) return false;
    const hasJumped = clock.follow(now, this.#dueOffsetMs(alive, now), !this.#hasAgreed);
    this.#hasAgreed = true;
    this.#lookWhoIsOff(alive);
    return hasJumped;
  }

  #heard(): readonly Member[] {
    const { members } = this.#options;
    return Array.from(members.all()).filter(
      (member) => member.isAlive && member.isHeard && !this.#isLeftBehind(member),
    );
  }

  /** Whether it was suspended together with this replica, which goes on by the wall clock already. */
  #isLeftBehind(member: Member): boolean {
    if (member.heardSinceMs > this.#options.clock.renewedAtMs) return false;
    return Math.abs(this.#offsetMs(member)) > FAR_MS;
  }

  /** What to add to another's clock to have ours. */
  #offsetMs({ index }: Member): number {
    const { replicas, clock } = this.#options;
    return replicas.offsetMs(index) + clock.originMs;
  }

  #dueOffsetMs(alive: readonly Member[], now: number): number {
    const offsetsMs = alive.map((member) => this.#offsetMs(member));
    if (alive.length > 1) return clusterOffsetMs(offsetsMs);
    return this.#isElder(alive[0]!, now) ? 0 : -offsetsMs[0]!;
  }

  /** Whether this replica has been there for longer than another. */
  #isElder({ id, upMs = 0, heardAtMs }: Member, now: number): boolean {
    const aheadMs = this.upMs(now) - (upMs + now - heardAtMs);
    if (Math.abs(aheadMs) > SAME_AGE_MS) return aheadMs > 0;
    return this.#options.replicas.selfId < id;
  }

  #lookWhoIsOff(alive: readonly Member[]): void {
    const { clock, members, report } = this.#options;
    for (const member of this.#off)
      if (members.find(member.id) !== member) this.#off.delete(member);
    for (const member of alive) {
      const aheadMs = -this.#offsetMs(member) - clock.offsetMs;
      const isOff = Math.abs(aheadMs) > OFF_MS;
      if (isOff === this.#off.has(member)) continue;
      if (isOff) this.#off.add(member);
      else this.#off.delete(member);
      const how = isOff ? distance(aheadMs) : "is right again";
      report(`the clock of replica ${member.id} ${how}`, kindOf(isOff));
    }
    const isOff = Math.abs(clock.offsetMs) > OFF_MS;
    if (isOff === this.#isOff) return;
    this.#isOff = isOff;
    const how = isOff ? `${distance(-clock.offsetMs)}: theirs is used` : "is right again";
    report(`the clock of this process ${how}`, kindOf(isOff));
  }
}

function kindOf(isOff: boolean): EventKind {
  return isOff ? CLUSTER_EVENTS.clockOff : CLUSTER_EVENTS.clockRight;
}

function distance(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1_000).toFixed(1);
  return `is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the cluster's`;
}
