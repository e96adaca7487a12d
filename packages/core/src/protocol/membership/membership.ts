/**
 * The membership: the other replicas of the cluster, known only from the frames that they send.
 *
 * There is no list of members. A replica whose frame is received is a member. A member that is
 * silent for some heartbeats is not alive: this is the failure detector. A member that is silent
 * for so long that nothing it counted can count any more is forgotten. A frame that is older than
 * one already received says nothing about who is alive, however often it arrives. The number of
 * members is bounded, so that made-up senders cannot fill the memory. When it is reached, live
 * members replace dead ones.
 */

import { createHash } from "node:crypto";
import type { Replicas } from "../../store/replicas/replicas.ts";
import { ReplyPartsBudget } from "../anti-entropy/reply-parts.ts";
import { ClockOffset } from "../clock/clock-offset.ts";
import type { ClusterClock } from "../clock/cluster-clock.ts";
import { MergeLag } from "../receive/merge-lag.ts";
import type { Rejections } from "../receive/rejections.ts";
import { SILENT_MS } from "./heartbeat-schedule.ts";
import { Member } from "./member.ts";

/** The most replicas that are known at a time, dead ones included. */
const MEMBERS_MAX = 4_096;
/**
 * A correction makes the store convert every time of that replica's clock again, so smaller ones
 * are not worth it. A rise needs a larger step: late frames say little, only a fast one shows the
 * offset.
 */
const OFFSET_STEP_MS = 3;
const OFFSET_RISE_MS = 10;
/** After no member could make room, how long none is looked for, however many new senders come. */
const FULL_MS = 1_000;

export class Membership {
  readonly #members = new Map<string, Member>();
  readonly #replicas: Replicas;
  readonly #clock: Pick<ClusterClock, "blockedMs">;
  readonly #membersMax: number;
  readonly #budget: ReplyPartsBudget;
  #isAnyForgotten = false;
  /** Until when no dead member is looked for that could make room. */
  #fullUntilMs = Number.NEGATIVE_INFINITY;

  constructor(
    replicas: Replicas,
    rejections: Rejections,
    clock: Pick<ClusterClock, "blockedMs">,
    membersMax: number = MEMBERS_MAX,
  ) {
    this.#replicas = replicas;
    this.#clock = clock;
    this.#membersMax = membersMax;
    this.#budget = new ReplyPartsBudget((why) => rejections.part(why));
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

  /** Notes a frame; returns its sender, or undefined when there are too many members already. */
  received(id: string, receivedAtMs: number, sentAtMs: number, sent: number): Member | undefined {
    const member = this.#members.get(id) ?? this.#enter(id, receivedAtMs);
    if (member === undefined) return undefined;
    member.sent = Math.max(member.sent, sent);
    if (sentAtMs <= member.clockMs) return member;
    member.clockMs = sentAtMs;
    member.clockReceivedMs = receivedAtMs;
    member.isReceivedHere = true;
    member.lag ??= new MergeLag(sentAtMs);
    member.lastReceivedMs = Math.max(member.lastReceivedMs, receivedAtMs);
    if (!member.hasLeft) {
      if (!member.isAlive) member.returned(receivedAtMs);
      this.#setAlive(member, true);
    }
    const { offset } = member;
    offset.received(receivedAtMs, sentAtMs, this.#clock.blockedMs);
    const { suspectSinceMs } = offset;
    if (suspectSinceMs !== undefined && !this.#areAllLate(member, suspectSinceMs)) offset.step();
    const { offsetMs } = offset;
    const known = this.#replicas.offsetMs(member.index);
    if (known - offsetMs >= OFFSET_STEP_MS || offsetMs - known >= OFFSET_RISE_MS) {
      this.#replicas.setOffset(member.index, offsetMs);
    }
    return member;
  }

  /**
   * Whether other frames came since a time, and all of them late: then a queue delays all frames.
   */
  #areAllLate(suspect: Member, sinceMs: number): boolean {
    let isAnyLate = false;
    for (const member of this.#members.values()) {
      if (member === suspect || !member.isAlive || member.lastReceivedMs < sinceMs) continue;
      if (member.offset.inTimeAtMs >= sinceMs) return false;
      isAnyLate = true;
    }
    return isAnyLate;
  }

  /**
   * Notes a replica that another one reports on. Undefined for a live member, or when there are too
   * many members already. If a dead replica's frames reach only this replica, someone replays old
   * frames: the report of the other replica is believed.
   *
   * @param lastReceivedMs when the other replica last received a frame of it
   * @param offsetMs what to add to a time on its clock to have it on ours, by what the report says
   * @param sentAtMs what its own clock showed when it sent that frame
   */
  reported(
    id: string,
    nowMs: number,
    lastReceivedMs: number,
    offsetMs: number,
    sentAtMs: number = lastReceivedMs - offsetMs,
  ): Member | undefined {
    const known = this.#members.get(id);
    if (known?.isAlive === true) {
      const lateMs = this.#replicas.offsetMs(known.index) - offsetMs;
      if (nowMs - lastReceivedMs <= SILENT_MS || lateMs <= SILENT_MS) return undefined;
    }
    const member = known ?? this.#enter(id, lastReceivedMs, false);
    if (member === undefined) return undefined;
    const wasAlive = known?.isAlive === true;
    this.#setAlive(member, false);
    // A frame that it sent before that says nothing about whether it is alive, nor about its clock.
    // Offsets are exact to OFFSET_RISE_MS, and its last frame must not look like a later one.
    const clockMs = sentAtMs + OFFSET_RISE_MS;
    if (clockMs > member.clockMs || wasAlive) {
      member.clockMs = Math.max(member.clockMs, clockMs);
      member.isReceivedHere = false;
      // Its next frame may be an old one that was relayed, so the report says more about its clock.
      member.offset = new ClockOffset(offsetMs);
    }
    return member;
  }

  /** A replica leaves: its counts stay, its held permits do not. */
  leave(member: Member): void {
    member.hasLeft = true;
    this.#setAlive(member, false);
  }

  /**
   * Runs the failure detector, and forgets members that were silent for too long. Returns whether
   * any was forgotten since the last call.
   *
   * @param forgottenMs silence after which nothing that a replica counted can count
   */
  detectFailures(nowMs: number, forgottenMs: number): boolean {
    for (const member of this.#members.values()) {
      const silenceMs = nowMs - member.lastReceivedMs;
      if (silenceMs > forgottenMs) this.#forget(member);
      else if (silenceMs > SILENT_MS) this.#setAlive(member, false);
    }
    const isAnyForgotten = this.#isAnyForgotten;
    this.#isAnyForgotten = false;
    return isAnyForgotten;
  }

  /**
   * A digest of the membership: the ids of all replicas, and for dead ones the received frames too,
   * as their frames can only be had from other members. Replicas that know the same have the same
   * sum.
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
   * Whether a live member's checksum has differed from ours for so many heartbeats, and there is
   * room for more members.
   */
  differs(own: number, beats: number): boolean {
    if (this.#members.size >= this.#membersMax) return false;
    let differs = false;
    for (const member of this.#members.values()) {
      const sum = member.lastHeartbeat?.checksum;
      const isSame = !member.isAlive || sum === undefined || sum === own;
      member.beatsDiffering = isSame ? 0 : member.beatsDiffering + 1;
      differs ||= member.beatsDiffering >= beats;
    }
    return differs;
  }

  #enter(id: string, nowMs: number, isAlive = true): Member | undefined {
    const isFull = this.#members.size >= this.#membersMax;
    if (isFull && !(isAlive && this.#makeRoom(nowMs))) return undefined;
    const member = new Member(id, this.#replicas.indexOf(id, isAlive), this.#budget, nowMs);
    this.#members.set(id, member);
    return member;
  }

  /**
   * Forgets a dead member to make room for a live one: first a member that counted nothing, then
   * the one that has been silent longest. Returns whether there was one.
   */
  #makeRoom(nowMs: number): boolean {
    if (nowMs < this.#fullUntilMs) return false;
    let least: Member | undefined;
    for (const member of this.#members.values()) {
      if (!member.isAlive && (least === undefined || member.isWorthLessThan(least))) least = member;
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
