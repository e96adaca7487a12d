/**
 * The other replicas of the cluster, known from nothing but the frames they send.
 *
 * Nobody lists them: whoever is heard is a member, whoever has been silent for some heartbeats is
 * not alive, and whoever has been silent for so long that nothing it counted can count any more is
 * forgotten. A frame that is older than one that was heard says nothing about who is alive, however
 * often it arrives. Their number is bounded, so that made-up senders cannot fill the memory; when all
 * places are taken, those who are there come before those who are gone.
 */

import { createHash } from "node:crypto";
import type { Replicas } from "../../store/replicas/replicas.ts";
import { ReplyPartsBudget, type ReplyPartsFault } from "../anti-entropy/reply-parts-budget.ts";
import { ClockOffset } from "../clock/clock-offset.ts";
import { MergeLag } from "../receive/merge-lag.ts";
import { Member } from "./member.ts";

export interface MemberOptions {
  /** Silence after which a replica is not alive. */
  readonly silentMs: number;
  /** The most replicas that are known at a time, those included that are gone. */
  readonly membersMax: number;
  /** Takes why a long answer that was coming in has been given up. */
  readonly lost: (why: ReplyPartsFault) => void;
  /** For how long the event loop of this process has been held up so far, in all. */
  readonly heldUpMs: () => number;
}

/**
 * Smaller corrections are not worth reading everything anew that was counted by that clock. That its
 * frames have travelled for longer of late says little: only a fast one shows where it is.
 */
const OFFSET_STEP_MS = 3;
const OFFSET_RISE_MS = 10;
/** How long no place is looked for after there was none, however many strangers ask for one. */
const FULL_MS = 1_000;

export class Membership {
  readonly #members = new Map<string, Member>();
  readonly #replicas: Replicas;
  readonly #options: MemberOptions;
  readonly #room: ReplyPartsBudget;
  #isAnyForgotten = false;
  /** Until when nobody is looked for who could make room. */
  #fullUntilMs = Number.NEGATIVE_INFINITY;

  constructor(replicas: Replicas, options: MemberOptions) {
    this.#replicas = replicas;
    this.#options = options;
    this.#room = new ReplyPartsBudget(options.lost);
  }

  get size(): number {
    return this.#members.size;
  }

  all(): Iterable<Member> {
    return this.#members.values();
  }

  find(id: string): Member | undefined {
    return this.#members.get(id);
  }

  /** Takes note of a frame; returns who sent it, or undefined when there are too many already. */
  hear(id: string, receivedAtMs: number, sentAtMs: number, sent: number): Member | undefined {
    const member = this.#members.get(id) ?? this.#enter(id, receivedAtMs);
    if (member === undefined) return undefined;
    member.sent = Math.max(member.sent, sent);
    if (sentAtMs <= member.clockMs) return member;
    member.clockMs = sentAtMs;
    member.isHeard = true;
    member.lag ??= new MergeLag(sentAtMs);
    member.heardAtMs = Math.max(member.heardAtMs, receivedAtMs);
    if (!member.hasLeft) {
      if (!member.isAlive) member.returned(receivedAtMs);
      this.#setAlive(member, true);
    }
    const { offset } = member;
    offset.hear(receivedAtMs, sentAtMs, this.#options.heldUpMs());
    const { suspectSinceMs } = offset;
    if (suspectSinceMs !== undefined && !this.#areAllLate(member, suspectSinceMs)) offset.step();
    const { offsetMs } = offset;
    const known = this.#replicas.offsetMs(member.index);
    if (known - offsetMs >= OFFSET_STEP_MS || offsetMs - known >= OFFSET_RISE_MS) {
      this.#replicas.setOffset(member.index, offsetMs);
    }
    return member;
  }

  /** Whether others have been heard since a time, and all of them late: a queue holds up all frames. */
  #areAllLate(suspect: Member, sinceMs: number): boolean {
    let isAnyLate = false;
    for (const member of this.#members.values()) {
      if (member === suspect || !member.isAlive || member.heardAtMs < sinceMs) continue;
      if (member.offset.inTimeAtMs >= sinceMs) return false;
      isAnyLate = true;
    }
    return isAnyLate;
  }

  /**
   * Takes note of a replica that others speak for; undefined for one that speaks for itself, or when
   * there are too many already. Who is gone and was heard here only of late has not been heard at all:
   * somebody has sent its frames again.
   *
   * @param heardAtMs when others heard it last
   * @param offsetMs what to add to a time on its clock to have it on ours, by what others say
   */
  mention(id: string, nowMs: number, heardAtMs: number, offsetMs: number): Member | undefined {
    const { silentMs } = this.#options;
    const known = this.#members.get(id);
    if (known?.isAlive === true) {
      const lateMs = this.#replicas.offsetMs(known.index) - offsetMs;
      if (nowMs - heardAtMs <= silentMs || lateMs <= silentMs) return undefined;
    }
    const member = known ?? this.#enter(id, heardAtMs, false);
    if (member === undefined) return undefined;
    const wasAlive = known?.isAlive === true;
    this.#setAlive(member, false);
    // Whatever it sent before that says nothing about whether it is alive, nor about its clock.
    // Offsets are known to so much, and its last frame must not look like a later one.
    const clockMs = heardAtMs - offsetMs + OFFSET_STEP_MS;
    if (clockMs > member.clockMs || wasAlive) {
      member.clockMs = Math.max(member.clockMs, clockMs);
      member.isHeard = false;
      // Its next frame may be an old one that was passed on, and says less of its clock than others do.
      member.offset = new ClockOffset(offsetMs);
    }
    return member;
  }

  /** A replica has said that it leaves: what it counted goes on, what it held does not. */
  leave(member: Member): void {
    member.hasLeft = true;
    this.#setAlive(member, false);
  }

  /**
   * Looks who has fallen silent, and forgets whoever has been for too long; returns whether any was
   * forgotten since the last look.
   *
   * @param forgottenMs silence after which nothing that a replica counted can count
   */
  look(nowMs: number, forgottenMs: number): boolean {
    for (const member of this.#members.values()) {
      const silenceMs = nowMs - member.heardAtMs;
      if (silenceMs > forgottenMs) this.#forget(member);
      else if (silenceMs > this.#options.silentMs) this.#setAlive(member, false);
    }
    const isAnyForgotten = this.#isAnyForgotten;
    this.#isAnyForgotten = false;
    return isAnyForgotten;
  }

  /**
   * The same number for all who know of the same replicas, themselves included, and of those who are gone
   * the same frames: what is missing of those can only be had from each other.
   */
  checksum(): number {
    const known = [this.#replicas.selfId];
    for (const { id, isAlive, frames } of this.#members.values()) {
      const { upTo, above } = frames.known;
      known.push(isAlive ? id : `${id}:${upTo}:${above}`);
    }
    return createHash("sha256").update(known.sort().join()).digest().readUInt32LE();
  }

  /**
   * Whether what somebody knows has been another than what this one knows for so many heartbeats, and
   * there is room for more.
   */
  differ(own: number, beats: number): boolean {
    if (this.#members.size >= this.#options.membersMax) return false;
    let differ = false;
    for (const member of this.#members.values()) {
      const sum = member.knownSum;
      const isSame = !member.isAlive || sum === undefined || sum === own;
      member.beatsApart = isSame ? 0 : member.beatsApart + 1;
      differ ||= member.beatsApart >= beats;
    }
    return differ;
  }

  #enter(id: string, nowMs: number, isAlive = true): Member | undefined {
    const isFull = this.#members.size >= this.#options.membersMax;
    if (isFull && !(isAlive && this.#makeEvictor(nowMs))) return undefined;
    const member = new Member(id, this.#replicas.indexOf(id, isAlive), this.#room, nowMs);
    this.#members.set(id, member);
    return member;
  }

  /**
   * Forgets one that is gone for one that is there: who counted nothing before others, and then whoever
   * has been silent for longest. Returns whether there was one.
   */
  #makeEvictor(nowMs: number): boolean {
    if (nowMs < this.#fullUntilMs) return false;
    let least: Member | undefined;
    for (const member of this.#members.values()) {
      if (!member.isAlive && (least === undefined || member.isLessThan(least))) least = member;
    }
    if (least === undefined) this.#fullUntilMs = nowMs + FULL_MS;
    else this.#forget(least);
    return least !== undefined;
  }

  #forget(member: Member): void {
    this.#members.delete(member.id);
    member.parts.forget();
    this.#replicas.drop(member.index);
    this.#isAnyForgotten = true;
  }

  #setAlive(member: Member, isAlive: boolean): void {
    member.isAlive = isAlive;
    this.#replicas.setAlive(member.index, isAlive);
  }
}
