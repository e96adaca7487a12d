/**
 * What time it is in the cluster, and whose clock is off.
 *
 * Three or more replicas take the median of their clocks. Two replicas have no median, so the clock
 * of the one that joined earlier counts. A process that starts with a wrong clock then does not
 * move the other. A clock that is far off does not move the median. Operators get an event about
 * it, from that replica and from all others.
 *
 * In a cluster with a secret, other replicas may refuse this one for its clock. The raw clock is
 * the wall clock at the start plus the time that has passed. It is wrong for good after a machine
 * was suspended, and where a process started before the wall clock was set. Replicas that do not
 * know this one, or have forgotten it, then take its frames for replays. Two signs together make
 * this replica take a new id and the time of its wall clock. Its wall clock has moved away from its
 * raw clock, and another replica shows the time of the wall clock. Neither is enough alone: an
 * operator may set the wall clock to any time, and an attacker may replay old frames.
 */

import { CLUSTER_EVENTS, type EventKind } from "../../base/cluster-events.ts";
import { SILENT_MS } from "../membership/heartbeat-schedule.ts";
import type { Member } from "../membership/member.ts";
import { FAR_MS } from "../receive/replay-guard.ts";
import type { ReplicaContext } from "../replica-context.ts";
import { clusterOffsetMs } from "./clock-offset.ts";

/** A clock that is further off than this is reported. */
const OFF_MS = 1_000;
/** How long a joining replica takes the time of other replicas without a vote of its own. */
const NEW_MS = 500;
/** If two replicas have been up for about as long, the smaller id decides which is the elder. */
const SAME_AGE_MS = 1_000;
/** Half of what other replicas accept, since their clocks may be off as well. */
const STALE_MS = FAR_MS / 2;
/** Clocks that show the same time differ by less. */
const SAME_MS = 60_000;

export class ClockAgreement {
  readonly #context: ReplicaContext;
  readonly #beganAtMs: number;
  readonly #off = new Set<Member>();
  #isOff = false;
  /** Whether the cluster's time has been set by other clocks before. */
  #hasAgreed = false;

  constructor(context: ReplicaContext) {
    this.#context = context;
    this.#beganAtMs = context.clock.now();
  }

  /** How long ago this process called `joinCluster`. */
  joinedForMs(now: number): number {
    return now - this.#beganAtMs;
  }

  /**
   * A frame of a replica is about to be read. A joining replica takes its time from the replicas
   * that it has received: the counts in the frame may belong to slots, and the slots of a wrong
   * time are wrong.
   */
  frameOpened(now: number): void {
    if (this.#hasAgreed || this.joinedForMs(now) > NEW_MS) return;
    const offsetsMs = this.#receivedHere().map((member) => this.#offsetMs(member));
    const [first = 0, ...others] = offsetsMs;
    // The median of theirs only: the joining replica's own clock is no better than any other.
    const fromFirstMs = clusterOffsetMs(others.map((offsetMs) => offsetMs - first));
    if (offsetsMs.length > 0) this.#context.clock.follow(now, fromFirstMs - first, true);
  }

  /**
   * Moves the cluster's time to the median, and reports clocks that are far from it. Returns
   * whether it has jumped ahead.
   */
  agree(now: number): boolean {
    const { clock } = this.#context;
    const alive = this.#receivedHere();
    // A heartbeat shows which of two replicas is the elder.
    if (alive.length === 0 || (alive.length === 1 && alive[0]!.lastHeartbeat === undefined))
      return false;
    const hasJumped = clock.follow(now, this.#dueOffsetMs(alive, now), !this.#hasAgreed);
    this.#hasAgreed = true;
    this.#reportOffClocks(alive);
    return hasJumped;
  }

  /** Whether the wall clock is right and the raw clock is not. */
  isStale(now: number): boolean {
    const { clock, seal } = this.#context;
    if (!seal.isSealing) return false;
    const wallAheadMs = clock.wallAheadMs();
    if (Math.abs(wallAheadMs) <= STALE_MS) return false;
    const aheadMs = [...this.#aheadOfReceived(), ...this.#aheadOfRefused(now)];
    return aheadMs.some((each) => Math.abs(each - wallAheadMs) <= SAME_MS);
  }

  /** How many other replicas refuse this one for its clock, or are refused for theirs; mostly 0. */
  countApart(now: number): number {
    if (!this.#context.seal.isSealing) return 0;
    const received = this.#aheadOfReceived();
    if (received.length === 0) return this.#aheadOfRefused(now).length;
    const [first = 0] = received;
    // Two clocks have no median.
    const aheadMs = received.length === 1 ? first : clusterOffsetMs(received.map((each) => -each));
    return Math.abs(aheadMs) > FAR_MS ? received.length : 0;
  }

  /** How far the clocks of live members are ahead of the raw clock. */
  #aheadOfReceived(): number[] {
    const { members, clock } = this.#context;
    return Array.from(members.all())
      .filter(({ isAlive, isReceivedHere }) => isAlive && isReceivedHere)
      .map(({ offset }) => -(offset.offsetMs + clock.originMs));
  }

  /** The same for replicas that were refused of late. */
  #aheadOfRefused(now: number): number[] {
    const { clock, replayGuard } = this.#context;
    return replayGuard.refused(now - SILENT_MS).map((clockMs) => clockMs - (now + clock.originMs));
  }

  #receivedHere(): readonly Member[] {
    const { members } = this.#context;
    return Array.from(members.all()).filter(
      (member) => member.isAlive && member.isReceivedHere && !this.#isStillSuspended(member),
    );
  }

  /**
   * Whether it was suspended together with this replica, which has moved to the wall clock already.
   */
  #isStillSuspended(member: Member): boolean {
    if (member.receivedSinceMs > this.#context.clock.renewedAtMs) return false;
    return Math.abs(this.#offsetMs(member)) > FAR_MS;
  }

  /** What to add to another's clock to have ours. */
  #offsetMs({ index }: Member): number {
    const { replicas, clock } = this.#context;
    return replicas.offsetMs(index) + clock.originMs;
  }

  #dueOffsetMs(alive: readonly Member[], now: number): number {
    const offsetsMs = alive.map((member) => this.#offsetMs(member));
    if (alive.length > 1) return clusterOffsetMs(offsetsMs);
    return this.#isElder(alive[0]!, now) ? 0 : -offsetsMs[0]!;
  }

  /** Whether this replica joined before the other. */
  #isElder({ id, lastHeartbeat, lastReceivedMs }: Member, now: number): boolean {
    const { joinedForMs = 0 } = lastHeartbeat ?? {};
    const aheadMs = this.joinedForMs(now) - (joinedForMs + now - lastReceivedMs);
    if (Math.abs(aheadMs) > SAME_AGE_MS) return aheadMs > 0;
    return this.#context.replicas.selfId < id;
  }

  /** While a clock is not measured yet, the median of all clocks may be wrong as well. */
  #reportOffClocks(alive: readonly Member[]): void {
    const { clock, members, report } = this.#context;
    if (!alive.every(({ offset }) => offset.isMeasured)) return;
    for (const member of this.#off)
      if (members.find(member.id) !== member) this.#off.delete(member);
    for (const member of alive) {
      const aheadMs = -this.#offsetMs(member) - clock.offsetMs;
      const isOff = Math.abs(aheadMs) > OFF_MS;
      if (isOff === this.#off.has(member)) continue;
      if (isOff) this.#off.add(member);
      else this.#off.delete(member);
      const how = isOff ? `${distance(aheadMs)}: set it` : "is right again";
      report(`the clock of replica ${member.id} ${how}`, kindOf(isOff));
    }
    const isOff = Math.abs(clock.offsetMs) > OFF_MS;
    if (isOff === this.#isOff) return;
    this.#isOff = isOff;
    const how = isOff ? `${distance(-clock.offsetMs)}, which is used: set it` : "is right again";
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
