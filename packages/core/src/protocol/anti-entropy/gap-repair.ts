/**
 * Finds gaps in the received frames, sends sync requests, and owes sync replies to other replicas.
 *
 * ## The three mechanisms of anti-entropy
 *
 * Every frame of counts carries its origin's next number. `ReceivedFrames` holds, for each origin,
 * which numbers have arrived. All of them together are this replica's version vector. Three
 * mechanisms close the gaps in it.
 *
 * 1. Gap repair (this file, reply-parts.ts). The origin is reachable. The receiver sends a sync
 *    request (origin, since). The origin replies with the present value of every count that changed
 *    since then. A long reply has numbered parts. Only all parts of one reply together move the
 *    version vector. Only the origin may claim "these are all of my counts up to frame n".
 * 2. Relay (frame-relay.ts, recent-frames.ts, lag-reports.ts). A partition separates two live
 *    replicas, and a third one reaches both. Heartbeats name the replicas that their sender does
 *    not receive. Other members send the frames that they keep, byte for byte. They claim nothing.
 *    The receiver treats them as late frames of their origin.
 * 3. Sync about dead replicas (dead-replica-sync.ts, third-party-counts.ts). The origin has crashed
 *    or left. A live replica claims "this is what I have of the dead replica X". Its reply names
 *    the dead replicas and their frames first. The receiver accepts it only for replicas that it
 *    does not receive itself. When such a replica publishes again, the receiver forgets which
 *    frames the reply covered (`Member.returned`). It then requests the gap from the replica
 *    itself. Counts may be reported this way. Held permits may not: a third party forgets permits
 *    that it saw released, and would bring them back.
 *
 * Why they are not merged into one: the claim "I have all of origin X up to frame n" by a third
 * party is unsound. It does not hold for permits, for limiters that the third party lacks or opened
 * late, for what it evicted or refused, and for folded slots. Two things prevent such claims:
 * frames are relayed unchanged, and `FramesKnown` and `ThirdPartyCounts` limit the reports on dead
 * replicas. A single digest exchange among all replicas would not prevent them.
 *
 * ## Few requests and replies
 *
 * Every request and reply waits for a random moment first, and is dropped if another replica was
 * quicker. The first request gets a reply to its sender alone. The reply to a second one is a
 * broadcast, and a replica that has received two requests waits for it. So a few frames are enough
 * when fifty replicas miss the same frame.
 */

import { BEHIND_MAX, type Behind, type SyncRequest } from "../../wire/control-sections.ts";
import { HEARTBEAT_MS } from "../membership/heartbeat-schedule.ts";
import type { Incarnation } from "../membership/incarnation.ts";
import type { Member } from "../membership/member.ts";
import { halvesOf, idOf } from "../membership/replica-id.ts";
import type { Publisher } from "../publish/publisher.ts";
import type { FrameQueue } from "../receive/frame-queue.ts";
import type { ReplicaContext } from "../replica-context.ts";
import { rotated } from "./frame-relay.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** How long a request waits: what is missing may just be late. */
const ASK_AFTER_MS = 20;
const ASK_SPREAD_MS = 60;
/** Until a request is repeated, at first and at most. */
const ASK_AGAIN_MS = 500;
const ASK_AGAIN_MS_MAX = 8_000;
const REPLY_AFTER_MS = 5;
const REPLY_SPREAD_MS = 20;
/** The least time between two replies, however many replicas ask. */
const REPLY_SPACING_MS = 200;
/** Early enough for other replicas to relay its frames before it is taken to be silent. */
const BEHIND_AFTER_MS = 1.5 * HEARTBEAT_MS;
/** A replica that has been silent for longer is named last. */
const SILENCE_MS_MAX = 60_000;
/** How long a request is held back under overload: its reply would only add to the queue. */
const ASK_HELD_MS = 200;
/** How long after an overload a replica tries gap repair, before other replicas relay to it. */
const REPAIRS_ITSELF_MS = 3_000;
/** How many members that do not receive this replica are asked at a time. */
const UNREACHED_MAX = 16;

/** A sync reply that is to be written soon, for all requests that arrive until then. */
interface OwedReply {
  atMs: number;
  since: number;
  /** The replica that it is for; absent when it is for all. */
  to: string | undefined;
  /** Whether it includes counts of other replicas. */
  others: boolean;
  toJoining: boolean;
}

/** A sync reply that has been begun. */
interface BegunReply extends Readonly<Pick<OwedReply, "since" | "to" | "others">> {
  /** The last frame of counts that it includes. */
  readonly upTo: number;
  readonly beganAtMs: number;
  /** Infinite until it has left. */
  endedAtMs: number;
}

export class GapRepair {
  readonly #context: ReplicaContext;
  readonly #publisher: Publisher;
  readonly #incarnation: Incarnation;
  readonly #frameQueue: FrameQueue;
  #owed: OwedReply | undefined;
  /** The last reply. */
  #lastReply: BegunReply | undefined;
  /** When frames were last waiting that may close gaps. */
  #loadedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    context: ReplicaContext,
    publisher: Publisher,
    incarnation: Incarnation,
    frameQueue: FrameQueue,
  ) {
    this.#context = context;
    this.#publisher = publisher;
    this.#incarnation = incarnation;
    this.#frameQueue = frameQueue;
  }

  /** When the next work is due. */
  get dueAtMs(): number {
    let dueAtMs = this.#owed?.atMs ?? NEVER;
    for (const { askAtMs } of this.#context.members.all()) dueAtMs = Math.min(dueAtMs, askAtMs);
    return dueAtMs;
  }

  /** Asks all live replicas for all of their counts; returns whether any replica has counts. */
  askForAll(now: number): boolean {
    const { members, sender } = this.#context;
    let hasAnyCounted = false;
    for (const member of members.all()) {
      if (member.sent === 0) continue;
      hasAnyCounted = true;
      member.forget();
      if (!member.isAlive) continue;
      sender.ask(member.id, 0);
      member.askAtMs = now + ASK_AGAIN_MS;
    }
    return hasAnyCounted;
  }

  /** A frame of this member was received. */
  received(member: Member, now: number): void {
    if (!member.isBehind) {
      member.askAtMs = NEVER;
      member.requests = 0;
      member.requestsOfOthers = 0;
    } else if (member.askAtMs === NEVER) {
      member.askAtMs = now + this.#wait(ASK_AFTER_MS, ASK_SPREAD_MS);
    }
  }

  /** A sync request arrived, for this replica or for another one. */
  requested(from: Member, { low, high, since, others }: SyncRequest, now: number): void {
    const { replicas, members, sender } = this.#context;
    const id = idOf(low, high);
    this.#incarnation.claimed(id, since);
    if (id === replicas.selfId) {
      const isUnderWay = this.#isReplying(from.id, since, others, now);
      if (since <= sender.counted && !isUnderWay) this.#owe(from, since, others, now);
      return;
    }
    const member = members.find(id);
    if (member === undefined || member.askAtMs === NEVER || since > member.frames.last) return;
    // The reply to a second request is a broadcast.
    if (since === 0 || ++member.requestsOfOthers < 2) return;
    member.askAtMs = Math.max(member.askAtMs, now + ASK_AGAIN_MS);
  }

  /**
   * The replicas whose frames this one misses, and the last frame of each without a gap. First
   * those with known gaps, then the silent ones. Last come those that have long been silent, which
   * may not know that no replica receives them.
   */
  behind(now: number): Behind[] {
    const behind: Behind[] = [];
    const silent: Behind[] = [];
    const longSilent: Behind[] = [];
    // A live replica is not named while gap repair may help: relayed frames would add to the load.
    const repairsItself = this.#isLoaded(now) || now < this.#loadedAtMs + REPAIRS_ITSELF_MS;
    for (const { id, isBehind, hasLeft, lastReceivedMs, frames } of this.#context.members.all()) {
      const silenceMs = now - lastReceivedMs;
      const isSilent = !hasLeft && silenceMs > BEHIND_AFTER_MS;
      if (!isSilent && (!isBehind || repairsItself)) continue;
      const isLongSilent = silenceMs >= SILENCE_MS_MAX;
      (isLongSilent ? longSilent : isBehind ? behind : silent).push({
        ...halvesOf(id),
        number: frames.last,
      });
    }
    // More than fit take turns.
    const { random } = this.#context;
    return [behind, silent, longSilent]
      .flatMap((some) => rotated(some, random))
      .slice(0, BEHIND_MAX);
  }

  /** Asks some members that do not receive this replica. A reply shows that they do by now. */
  askUnreached(): void {
    const { members, sender, random } = this.#context;
    const unreached = Array.from(members.all()).filter(
      ({ isAlive, lagReports }) => isAlive && lagReports.isUnreached,
    );
    for (const { id, frames, lagReports } of rotated(unreached, random).slice(0, UNREACHED_MAX)) {
      lagReports.requested(frames.last);
      sender.ask(id, frames.last);
    }
  }

  /** Sends the reply that is owed, if one is. */
  sendOwedReply(): void {
    if (this.#owed === undefined) return;
    const { since, to, others: levels, toJoining } = this.#owed;
    this.#owed = undefined;
    const { members, sender, clock } = this.#context;
    const others = levels ? Array.from(members.all()) : [];
    const timing = { beganAtMs: clock.now(), endedAtMs: NEVER };
    const reply = { since, upTo: sender.counted, to, others: levels, ...timing };
    this.#lastReply = reply;
    this.#publisher.reply({ since, to, others, levels, toJoining }, () => {
      reply.endedAtMs = clock.now();
    });
  }

  /**
   * Whether a reply to this request is under way, or just was: reading it takes as long as writing.
   */
  #isReplying(asker: string, since: number, others: boolean, now: number): boolean {
    const reply = this.#lastReply;
    if (reply === undefined) return false;
    const { beganAtMs, endedAtMs, to } = reply;
    const isOver =
      endedAtMs === NEVER ? !this.#publisher.isReplying : now > 2 * endedAtMs - beganAtMs;
    if (isOver || (to !== undefined && to !== asker)) return false;
    if (others) return reply.others && since >= reply.since;
    return since >= reply.since && since < reply.upTo;
  }

  /** Does what is due. */
  work(now: number): void {
    for (const member of this.#context.members.all()) {
      if (now >= member.askAtMs) this.#ask(member, now);
    }
    if (this.#owed === undefined || now < this.#owed.atMs) return;
    if (this.#publisher.isReplying) this.#owed.atMs = now + REPLY_SPACING_MS;
    else this.sendOwedReply();
  }

  #isLoaded(now: number): boolean {
    const isLoaded = this.#frameQueue.isLoaded(now);
    if (isLoaded) this.#loadedAtMs = now;
    return isLoaded;
  }

  #wait(leastMs: number, spreadMs: number): number {
    return leastMs + Math.floor(this.#context.random() * spreadMs);
  }

  #ask(member: Member, now: number): void {
    // A dead replica does not reply. It is asked as soon as it is received again.
    if (!member.isBehind || !member.isAlive) {
      member.askAtMs = NEVER;
      return;
    }
    if (now < member.replyUntilMs) {
      member.askAtMs = member.replyUntilMs;
      return;
    }
    if (this.#isLoaded(now)) {
      member.askAtMs = now + this.#wait(ASK_HELD_MS, ASK_SPREAD_MS);
      return;
    }
    const again = Math.min(ASK_AGAIN_MS * 2 ** member.requests, ASK_AGAIN_MS_MAX);
    member.requests++;
    member.askAtMs = now + this.#wait(again, ASK_SPREAD_MS);
    this.#context.sender.ask(member.id, member.frames.last);
  }

  /** Whether another replica just got a reply alone: then the next reply is a broadcast. */
  #isSecond(asker: string, since: number, now: number): boolean {
    const reply = this.#lastReply;
    if (reply === undefined || now >= reply.endedAtMs + ASK_AGAIN_MS) return false;
    return since > 0 && reply.since > 0 && reply.to !== asker;
  }

  /** One reply serves all requests until it is sent: it begins at the first gap. */
  #owe({ id: to, lastHeartbeat }: Member, since: number, others: boolean, now: number): void {
    const isNew = others && lastHeartbeat?.isReady !== true;
    const owed = this.#owed;
    if (owed === undefined) {
      const soon = now + this.#wait(REPLY_AFTER_MS, REPLY_SPREAD_MS);
      const { beganAtMs = Number.NEGATIVE_INFINITY } = this.#lastReply ?? {};
      this.#owed = {
        atMs: Math.max(soon, beganAtMs + REPLY_SPACING_MS),
        since,
        to: this.#isSecond(to, since, now) ? undefined : to,
        others,
        toJoining: isNew,
      };
      return;
    }
    owed.others ||= others;
    owed.toJoining ||= isNew;
    owed.since = Math.min(owed.since, since);
    if (owed.to !== to) owed.to = undefined;
  }
}
