/**
 * Relays frames to members that report in their heartbeats that they do not receive them.
 *
 * The gossip is probabilistic: in each round, about two of the replicas that could relay a frame do
 * so. The next round picks others, because not every replica has what is missing. Frames are
 * relayed byte for byte, so the relay claims nothing (see gap-repair.ts).
 *
 * A heartbeat may name any replica, so the cost of a round must be bounded. The work for one name
 * depends neither on the number of members nor on the number of kept frames. A round yields when it
 * has taken long enough, and ends when it has sent as many bytes as it may.
 */

import type { Slices } from "../../base/slices.ts";
import type { Member } from "../membership/member.ts";
import type { FrameLane } from "../publish/frame-lane.ts";
import type { Publisher } from "../publish/publisher.ts";
import type { ReplicaContext } from "../replica-context.ts";
import { Slicer } from "../scheduler.ts";
import { RecentFrames } from "./recent-frames.ts";

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

export class FrameRelay {
  /** When the next round begins. */
  dueAtMs: number = NEVER;
  readonly recent: RecentFrames = new RecentFrames();
  readonly #context: ReplicaContext;
  readonly #publisher: Publisher;
  readonly #lane: FrameLane;
  readonly #slicer: Slicer;
  /** Bytes that the round may still relay. */
  #leftBytes = 0;

  constructor(context: ReplicaContext, publisher: Publisher) {
    this.#context = context;
    this.#publisher = publisher;
    this.#lane = context.sender.addLane();
    this.#slicer = new Slicer(context.scheduler, this.#lane);
  }

  /**
   * A member reported replicas that it does not receive. A round begins soon, if none is running.
   */
  lagReported(now: number): void {
    if (this.dueAtMs !== NEVER || !this.#slicer.isIdle) return;
    this.dueAtMs = now + AFTER_MS + Math.floor(this.#context.random() * SPREAD_MS);
  }

  /** Runs the round that is due. */
  work(now: number): void {
    if (now < this.dueAtMs) return;
    this.dueAtMs = NEVER;
    this.#slicer.run(this.#round(now));
  }

  /** Drops the round that is running, and all kept frames. */
  stop(): void {
    this.#slicer.stop();
    this.recent.forget();
  }

  *#round(now: number): Slices {
    const { members, random } = this.#context;
    const alive = Array.from(members.all()).filter((member) => member.isAlive);
    // For each replica, how many members cannot relay its frames: itself, and those that lack them.
    const unable = new Map<string, number>();
    const lagging: Member[] = [];
    for (const member of alive) {
      const { named } = member.lagReports;
      if (named.size > 0) lagging.push(member);
      for (const id of new Set([member.id, ...named.keys()])) {
        unable.set(id, (unable.get(id) ?? 0) + 1);
      }
      yield;
    }
    this.#leftBytes = BYTES_MAX;
    // Each member gets its turn when one round is too short for all.
    for (const member of rotated(lagging, random)) {
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
    const { sender } = this.#context;
    const newest = this.recent.newest(from.id, number, from.isAlive);
    // A dead replica sends nothing new. All members that missed its frames share its turns.
    const { lagReports } = from.isAlive ? receiver : from;
    if (!lagReports.isRelayDue(from.id, number, newest, now, AFTER_MS)) return;
    const isStuck = from.isAlive && from.sent > number && receiver.lagReports.isStuckOn(from.id);
    const frames = this.recent.after(from.id, number, from.isAlive);
    for (const frame of this.#some(frames, isStuck)) {
      // A copy, since the transport may keep, change or transfer what it publishes.
      this.#lane.push(new Uint8Array(frame), receiver.id);
    }
    if (isStuck) {
      // The first missing frame is not kept any more. The origin's reply is kept, and has all of
      // it.
      this.#leftBytes -= EACH_BYTES;
      sender.ask(from.id, number);
    } else if (!from.isAlive && from.frames.last > number && !this.#publisher.isReplying) {
      // A dead replica cannot be asked, so this one reports the counts that are older than kept
      // frames. While it writes another reply, this one would only wait.
      this.#leftBytes -= EACH_BYTES;
      const reply = { since: Number.POSITIVE_INFINITY, to: receiver.id, others: [from] };
      this.#publisher.reply({ ...reply, levels: false, toJoining: false });
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

/** Rotates the list to a random start, so that each item gets its turn. */
export function rotated<Item>(items: readonly Item[], random: () => number): Item[] {
  const first = Math.floor(random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
