/**
 * Asks live replicas for the counts of replicas that have crashed or left.
 *
 * A live replica reports its own counts. Only replicas that received the frames of a dead replica
 * can report what it counted. A joining replica asks one live replica when it joins. It asks once
 * more when the failure detectors have noticed every replica that ended before that. A replica also
 * asks when the checksums in heartbeats show that other replicas know other members, or other
 * frames of a dead one. These requests become rarer while the replies bring nothing new.
 *
 * The header of gap-repair.ts says what such a reply may claim.
 */

import { HEARTBEAT_MS, SILENT_MS } from "../membership/heartbeat-schedule.ts";
import type { Member } from "../membership/member.ts";
import { closeness } from "../membership/replica-id.ts";
import type { ReplicaContext } from "../replica-context.ts";

const ASK_AGAIN_MS = 500;
const LOOK_AGAIN_MS = 20;
const TRIES_MAX = 8;
const ROUNDS = 2;
/** Until live replicas have answered a hello, and it is known which ones have ended. */
const HELLO_ANSWERED_MS = 150;
/** Until the next round after a checksum differed: at first … */
const DIFFER_MS = 5_000;
/** … and at most, while rounds bring nothing new. */
const DIFFER_MS_MAX = 80_000;
/** How long after its last frame a replica is known to have ended. */
const MISSED_AFTER_MS = SILENT_MS + HEARTBEAT_MS;

export class DeadReplicaSync {
  /** When to ask next. */
  dueAtMs: number = Number.POSITIVE_INFINITY;
  readonly #context: ReplicaContext;
  #asked: Member | undefined;
  #round = 0;
  #tries = 0;
  #endedAtMs = 0;
  #differMs = DIFFER_MS;
  /** The checksum of what this replica knew when the last such round began. */
  #sumAskedWith: number | undefined;

  constructor(context: ReplicaContext) {
    this.#context = context;
  }

  /** Whether the first reply has arrived, or no replica can give one. */
  get isFirstRoundOver(): boolean {
    return this.#round > 0 || this.#areAllNew;
  }

  /**
   * A live replica sent a frame, perhaps after a silence in which each missed frames of the other.
   */
  received({ returnedAtMs }: Member, now: number): void {
    if (this.#round === 0 && this.#tries === 0) {
      this.dueAtMs = Math.min(this.dueAtMs, now + HELLO_ANSWERED_MS);
    }
    if (returnedAtMs > this.#endedAtMs) this.#again(now);
  }

  /** The checksums of other replicas have differed from this one for several heartbeats. */
  checksumDiffers(known: number, now: number): void {
    const isInVain = known === this.#sumAskedWith;
    if (now < this.#endedAtMs + (isInVain ? this.#differMs : DIFFER_MS)) return;
    if (!this.#again(now)) return;
    this.#differMs = isInVain ? Math.min(2 * this.#differMs, DIFFER_MS_MAX) : DIFFER_MS;
    this.#sumAskedWith = known;
  }

  /** A replica has sent the last part of a reply about all members that it knows. */
  replyCompleted(by: Member, now: number): void {
    if (by === this.#asked) this.#endRound(now);
  }

  /** Starts over: a limiter that was just created has merged none of the earlier replies. */
  restart(now: number): void {
    this.#asked = undefined;
    this.#round = 0;
    this.#tries = 0;
    this.dueAtMs = now;
  }

  work(now: number): void {
    if (now < this.dueAtMs) return;
    const answeringUntilMs = this.#asked?.replyUntilMs ?? 0;
    if (now < answeringUntilMs) {
      this.dueAtMs = answeringUntilMs;
      return;
    }
    if (this.#tries === TRIES_MAX) {
      this.#endRound(now);
      return;
    }
    const { replicas, members, sender } = this.#context;
    const self = replicas.selfId;
    const able = Array.from(members.all()).filter(
      ({ isAlive, lastHeartbeat }) => isAlive && lastHeartbeat?.isReady,
    );
    const wasAway = ({ returnedAtMs }: Member): number => +(returnedAtMs > this.#endedAtMs);
    // Prefer members that were silent, then those with another checksum, then by a random distance.
    able.sort(
      (left, right) =>
        wasAway(right) - wasAway(left) ||
        right.beatsDiffering - left.beatsDiffering ||
        closeness(left.id, self) - closeness(right.id, self),
    );
    const asked = able[this.#tries % Math.max(1, able.length)];
    this.dueAtMs = now + (asked === undefined ? LOOK_AGAIN_MS : ASK_AGAIN_MS);
    if (asked === undefined) return;
    this.#asked = asked;
    this.#tries++;
    sender.ask(asked.id, asked.frames.last, true);
  }

  /** Whether all other live replicas are joining too, or there are none. */
  get #areAllNew(): boolean {
    for (const { isAlive, lastHeartbeat } of this.#context.members.all()) {
      if (isAlive && lastHeartbeat?.isReady !== false) return false;
    }
    return true;
  }

  /** Begins one more round if the last one is over; returns whether it does. */
  #again(now: number): boolean {
    if (this.#round < ROUNDS || this.dueAtMs < Number.POSITIVE_INFINITY) return false;
    this.#round--;
    this.dueAtMs = now;
    return true;
  }

  #endRound(now: number): void {
    // Other replicas whose checksum differs are asked before this one is asked again.
    if (this.#asked !== undefined) this.#asked.beatsDiffering = 0;
    this.#asked = undefined;
    this.#tries = 0;
    this.#round++;
    this.#endedAtMs = now;
    const isLast = this.#round === ROUNDS;
    this.dueAtMs = isLast ? Number.POSITIVE_INFINITY : now + MISSED_AFTER_MS;
  }
}
