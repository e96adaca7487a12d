/**
 * The other replicas of the cluster, known from nothing but the frames they send.
 *
 * Nobody lists them: whoever is heard is a member, whoever has been silent for some heartbeats is
 * not alive, and whoever has been silent for so long that nothing it counted can count any more is
 * forgotten. Their number is bounded, so that made-up senders cannot fill the memory.
 */

import { createHash } from "node:crypto";
import { ClockOffset } from "./clock-offset.ts";
import { HeardFrames } from "./heard-frames.ts";

export interface MemberOptions {
  /** Silence after which a replica is not alive. */
  readonly silentMs: number;
  /** Silence after which nothing that a replica counted can count. */
  readonly forgottenMs: number;
  /** The most replicas that are known at a time. */
  readonly membersMax: number;
}

export class Member {
  readonly id: string;
  readonly offset: ClockOffset = new ClockOffset();
  readonly frames: HeardFrames = new HeardFrames(0);
  heardAtMs: number;
  isAlive = true;
  /** The number of its last frame of counts, as far as it has said. */
  sent = 0;
  /** Hits that it has allowed and refused since it started. */
  allowed = 0;
  refused = 0;

  constructor(id: string, nowMs: number) {
    this.id = id;
    this.heardAtMs = nowMs;
  }

  /** Whether it has sent counts that have not been heard. */
  get isBehind(): boolean {
    return this.frames.isBehind(this.sent);
  }
}

/** What became of members since the last look. */
export interface MemberChanges {
  readonly silent: readonly Member[];
  readonly forgotten: readonly Member[];
}

export class Members {
  readonly #members = new Map<string, Member>();
  readonly #options: MemberOptions;

  constructor(options: MemberOptions) {
    this.#options = options;
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
    let member = this.#members.get(id);
    if (member === undefined) {
      if (this.#members.size >= this.#options.membersMax) return undefined;
      member = new Member(id, receivedAtMs);
      this.#members.set(id, member);
    }
    member.offset.hear(receivedAtMs, sentAtMs);
    member.heardAtMs = Math.max(member.heardAtMs, receivedAtMs);
    member.isAlive = true;
    member.sent = Math.max(member.sent, sent);
    return member;
  }

  /** A replica has said that it leaves: it is forgotten as if it had been silent for long. */
  leave(id: string): Member | undefined {
    const member = this.#members.get(id);
    this.#members.delete(id);
    return member;
  }

  /** Looks who has fallen silent, and forgets whoever has been for too long. */
  look(nowMs: number): MemberChanges {
    const { silentMs, forgottenMs } = this.#options;
    const silent: Member[] = [];
    const forgotten: Member[] = [];
    for (const member of this.#members.values()) {
      const silenceMs = nowMs - member.heardAtMs;
      if (silenceMs > forgottenMs) {
        this.#members.delete(member.id);
        forgotten.push(member);
      } else if (silenceMs > silentMs && member.isAlive) {
        member.isAlive = false;
        silent.push(member);
      }
    }
    return { silent, forgotten };
  }

  /** The same number for all who know the same replicas to be alive, themselves included. */
  checksum(self: string): number {
    const alive = [self];
    for (const { id, isAlive } of this.#members.values()) if (isAlive) alive.push(id);
    return createHash("sha256").update(alive.sort().join()).digest().readUInt32LE();
  }
}
