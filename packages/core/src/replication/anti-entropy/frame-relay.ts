/**
 * Relays frames to members that report in their heartbeats that they do not receive them.
 *
 * The gossip is probabilistic: in each round, about two of the replicas that could relay a frame do
 * so. The next round picks others, because not every replica has what is missing. Frames are
 * relayed byte for byte, so the relay claims nothing (see gap-repair.ts).
 *
 * A heartbeat may name any replica, so the cost of a round must be bounded: the work for one name
 * depends neither on the number of members nor on the number of kept frames. A round yields when it
 * has taken long enough, and ends when it has sent as many bytes as it may.
 */

import type { Member } from "../membership/member.ts";
import type { Membership } from "../membership/membership.ts";
import { halvesOf } from "../membership/replica-id.ts";
import type { FrameSender } from "../publish/frame-sender.ts";
import type { SyncReply } from "../publish/publisher.ts";
import { Slicer, type Slices } from "../slicer.ts";
import type { RecentFrames } from "./recent-frames.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** How long a replica tries gap repair first, before other replicas relay to it. */
const AFTER_MS = 500;
const SPREAD_MS = 300;
/** How many replicas should relay the same frames. */
const RELAYS = 2;
/** About how many bytes a round relays: less than transports queue, as there is more to publish. */
const BYTES_MAX = 256 * 1024;
/** What a frame or a sync request costs in addition. */
const EACH_BYTES = 128;

export interface RelayOptions {
  readonly members: Pick<Membership, "all" | "find">;
  readonly recent: RecentFrames;
  readonly random: () => number;
  readonly reply: (reply: SyncReply) => void;
  /** Whether a sync reply is still being written: another one would only wait behind it. */
  readonly isReplying: () => boolean;
  readonly sender: Pick<FrameSender, "ask" | "publish">;
}

export class FrameRelay {
  readonly #options: RelayOptions;
  /** It never waits: a frame that the transport drops will be reported as missing again. */
  readonly #slicer = new Slicer(() => false);
  #dueAtMs = NEVER;
  /** Bytes that the round may still relay. */
  #leftBytes = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** When the next round begins. */
  get dueAtMs(): number {
    return this.#dueAtMs;
  }

  /**
   * A member reported replicas that it does not receive. A round begins soon, if none is running.
   */
  lagReported(now: number): void {
    if (this.#dueAtMs !== NEVER || !this.#slicer.isIdle) return;
    this.#dueAtMs = now + AFTER_MS + Math.floor(this.#options.random() * SPREAD_MS);
  }

  /** Runs the round that is due. */
  work(now: number): void {
    if (now < this.#dueAtMs) return;
    this.#dueAtMs = NEVER;
    this.#slicer.run(this.#round(now));
  }

  stop(): void {
    this.#slicer.stop();
  }

  *#round(now: number): Slices {
    const { members, random } = this.#options;
    const alive = Array.from(members.all()).filter((member) => member.isAlive);
    const { unable, lagging } = yield* survey(alive);
    this.#leftBytes = BYTES_MAX;
    // Starts at a random member, so that each gets its turn when one round is too short for all.
    const first = Math.floor(random() * lagging.length);
    for (const member of [...lagging.slice(first), ...lagging.slice(0, first)]) {
      for (const [id, number] of member.lagReports.named) {
        const from = members.find(id);
        if (from === undefined || from === member) continue;
        const able = alive.length - (unable.get(id) ?? 0);
        // The divisor counts the replicas that can relay, and this one.
        if (random() < RELAYS / (able + 1)) this.#relayTo(member, number, from, now);
        if (this.#leftBytes <= 0) return;
        yield;
      }
    }
  }

  /** Relays the frames of `from` after a number to a member that did not receive them. */
  #relayTo(receiver: Member, number: number, from: Member, now: number): void {
    const { recent, sender, reply, isReplying } = this.#options;
    const newest = recent.newest(from.id, number, from.isAlive);
    // A dead replica sends nothing new. All members that missed its frames share its turns.
    const { lagReports } = from.isAlive ? receiver : from;
    if (!lagReports.isRelayDue(from.id, number, newest, now, AFTER_MS)) return;
    const isStuck = from.isAlive && from.sent > number && receiver.lagReports.isStuckOn(from.id);
    const frames = recent.after(from.id, number, from.isAlive);
    for (const frame of this.#some(frames, isStuck)) sender.publish(frame, receiver.id);
    if (isStuck) {
      // The first missing frame is not kept any more. The origin's reply is kept, and has all of
      // it.
      this.#leftBytes -= EACH_BYTES;
      sender.ask({ ...halvesOf(from.id), since: number, others: false });
    } else if (!from.isAlive && from.frames.last > number && !isReplying()) {
      // A dead replica cannot be asked, so this one reports the counts that are older than kept
      // frames.
      this.#leftBytes -= EACH_BYTES;
      const since = Number.POSITIVE_INFINITY;
      reply({ since, to: receiver.id, others: [from], levels: false, toJoining: false });
    }
  }

  /** As many of the oldest or of the newest frames as the round has bytes left for. */
  #some(frames: readonly Uint8Array[], isNewest: boolean): readonly Uint8Array[] {
    let count = 0;
    for (; count < frames.length && this.#leftBytes > 0; count++) {
      const at = isNewest ? frames.length - 1 - count : count;
      this.#leftBytes -= EACH_BYTES + frames[at]!.length;
    }
    return isNewest ? frames.slice(frames.length - count) : frames.slice(0, count);
  }
}

interface Survey {
  /**
   * For each replica, how many members cannot relay its frames: itself, and those that lack them.
   */
  readonly unable: Map<string, number>;
  /** The members that report missing frames. */
  readonly lagging: Member[];
}

function* survey(alive: readonly Member[]): Generator<undefined, Survey> {
  const unable = new Map<string, number>();
  const lagging: Member[] = [];
  for (const member of alive) {
    const { named } = member.lagReports;
    if (named.size > 0) lagging.push(member);
    for (const other of new Set([member.id, ...named.keys()])) {
      unable.set(other, (unable.get(other) ?? 0) + 1);
    }
    yield;
  }
  return { unable, lagging };
}
