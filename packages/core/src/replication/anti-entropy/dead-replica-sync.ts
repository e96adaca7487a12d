/**
 * Hears, from those who are there, what others counted who are not there any more.
 *
 * Everybody speaks for himself, but for a replica that has ended only those can speak who heard it.
 * A newcomer asks one of them when it comes, and once more when all who ended before that must have
 * been missed. So does whoever finds that others know of other replicas than itself, or more or less of
 * one that is gone; ever more rarely while that teaches it nothing.
 */

import type { Replicas } from "../../store/replicas/replicas.ts";
import type { Member } from "../membership/member.ts";
import type { Membership } from "../membership/membership.ts";
import { closeness, halvesOf } from "../membership/replica-id.ts";
import type { FrameSender } from "../publish/frame-sender.ts";

const ASK_AGAIN_MS = 500;
const LOOK_AGAIN_MS = 20;
const TRIES_MAX = 8;
const ROUNDS = 2;
/** Until all who are there have answered a greeting, and it is known who has ended. */
const GREETED_MS = 150;
/** Until the next round because others do not know the same: at first … */
const APART_MS = 5_000;
/** … and at most, while it is in vain. */
const APART_MS_MAX = 80_000;

export interface DeadReplicaSyncOptions {
  readonly replicas: Pick<Replicas, "selfId">;
  readonly members: Membership;
  readonly sender: FrameSender;
  /** How long after its last frame a replica is known to have ended. */
  readonly missedAfterMs: number;
}

export class DeadReplicaSync {
  /** When to ask next. */
  dueAtMs: number = Number.POSITIVE_INFINITY;
  readonly #options: DeadReplicaSyncOptions;
  #asked: Member | undefined;
  #round = 0;
  #tries = 0;
  #endedAtMs = 0;
  #apartMs = APART_MS;
  /** What was known, as a checksum, at the last round that began because others did not know the same. */
  #sumAskedWith: number | undefined;

  constructor(options: DeadReplicaSyncOptions) {
    this.#options = options;
  }

  /** Whether the first answer has come, or there is none to be had. */
  get isHeard(): boolean {
    return this.#round > 0 || this.#areAllNew;
  }

  /** Somebody is there; perhaps after a silence in which each missed more than counts can say. */
  heard({ returnedAtMs }: Member, now: number): void {
    if (this.#round === 0 && this.#tries === 0) {
      this.dueAtMs = Math.min(this.dueAtMs, now + GREETED_MS);
    }
    if (returnedAtMs > this.#endedAtMs) this.#again(now);
  }

  /** Others have not known the same for a while, of which this is the checksum. */
  apart(known: number, now: number): void {
    const isInVain = known === this.#sumAskedWith;
    if (now < this.#endedAtMs + (isInVain ? this.#apartMs : APART_MS)) return;
    if (!this.#again(now)) return;
    this.#apartMs = isInVain ? Math.min(2 * this.#apartMs, APART_MS_MAX) : APART_MS;
    this.#sumAskedWith = known;
  }

  /** A replica has said all that it knows of others. */
  heardFrom(by: Member, now: number): void {
    if (by === this.#asked) this.#endRound(now);
  }

  /** Begins anew: what was said so far was of no use to a limiter that has just been made. */
  renew(now: number): void {
    this.#asked = undefined;
    this.#round = 0;
    this.#tries = 0;
    this.dueAtMs = now;
  }

  work(now: number): void {
    if (now < this.dueAtMs) return;
    const answeringUntilMs = this.#asked?.answeringUntilMs ?? 0;
    if (now < answeringUntilMs) {
      this.dueAtMs = answeringUntilMs;
      return;
    }
    if (this.#tries === TRIES_MAX) {
      this.#endRound(now);
      return;
    }
    const { replicas, members, sender } = this.#options;
    const self = replicas.selfId;
    const able = Array.from(members.all()).filter(({ isAlive, isReady }) => isAlive && isReady);
    const wasAway = ({ returnedAtMs }: Member): number => +(returnedAtMs > this.#endedAtMs);
    // Who was away first, then who does not know the same, and else whoever it happens to be.
    able.sort(
      (left, right) =>
        wasAway(right) - wasAway(left) ||
        right.beatsApart - left.beatsApart ||
        closeness(left.id, self) - closeness(right.id, self),
    );
    const asked = able[this.#tries % Math.max(1, able.length)];
    this.dueAtMs = now + (asked === undefined ? LOOK_AGAIN_MS : ASK_AGAIN_MS);
    if (asked === undefined) return;
    this.#asked = asked;
    this.#tries++;
    sender.ask({ ...halvesOf(asked.id), since: asked.frames.last, others: true });
  }

  /** Whether everybody else has just come as well, if there is anybody. Others may still be heard. */
  get #areAllNew(): boolean {
    for (const { isAlive, isReady } of this.#options.members.all()) {
      if (isAlive && isReady !== false) return false;
    }
    return true;
  }

  /** Asks once more when all has been asked; returns whether it does. */
  #again(now: number): boolean {
    if (this.#round < ROUNDS || this.dueAtMs < Number.POSITIVE_INFINITY) return false;
    this.#round--;
    this.dueAtMs = now;
    return true;
  }

  #endRound(now: number): void {
    // Before this one is asked again, others are that do not know the same.
    if (this.#asked !== undefined) this.#asked.beatsApart = 0;
    this.#asked = undefined;
    this.#tries = 0;
    this.#round++;
    this.#endedAtMs = now;
    const isLast = this.#round === ROUNDS;
    this.dueAtMs = isLast ? Number.POSITIVE_INFINITY : now + this.#options.missedAfterMs;
  }
}
