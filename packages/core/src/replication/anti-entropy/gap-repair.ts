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
 *    does not receive itself, and forgets which frames it covered when the replica publishes again
 *    (`Member.returned`): the gap is then requested from the replica itself. Counts may be reported
 *    this way. Held permits may not: a third party forgets permits that it saw released, and would
 *    bring them back.
 *
 * Why they are not merged into one: the claim "I have all of origin X up to frame n" by a third
 * party is unsound. It does not hold for permits, for limiters that the third party lacks or opened
 * late, for what it evicted or refused, and for folded slots. The verbatim relays and the marks on
 * dead replicas (`FramesKnown`, the limits of `ThirdPartyCounts`) keep this right. A single digest
 * exchange among all replicas would lose it.
 *
 * ## Few requests and replies
 *
 * Every request and reply waits for a random moment first, and is dropped if another replica was
 * quicker. The first request gets a reply to its sender alone. The reply to a second one is a
 * broadcast, and a replica that has received two requests waits for it. So a few frames are enough
 * when fifty replicas miss the same frame.
 */

import type { Replicas } from "../../store/replicas/replicas.ts";
import {
  type Asking,
  BEHIND_MAX,
  type Behind,
  type Heartbeat,
} from "../../wire/control-sections.ts";
import type { Member } from "../membership/member.ts";
import type { Membership } from "../membership/membership.ts";
import { halvesOf, idOf } from "../membership/replica-id.ts";
import type { FrameSender } from "../publish/frame-sender.ts";
import type { SyncReply } from "../publish/publisher.ts";
import type { ControlHandler } from "../receive/control-handler.ts";
import { FrameRelay, type RelayOptions } from "./frame-relay.ts";

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
/** A replica that has been silent for longer is named last. */
const SILENCE_MS_MAX = 60_000;
/** How long a request is held back under overload: its reply would only add to the queue. */
const ASK_HELD_MS = 200;
/** How long after an overload a replica tries gap repair, before other replicas relay to it. */
const REPAIRS_ITSELF_MS = 3_000;
/** How many members that do not receive this replica are asked at a time. */
const UNREACHED_MAX = 16;

export interface GapRepairOptions extends RelayOptions {
  readonly replicas: Pick<Replicas, "selfId">;
  readonly members: Membership;
  readonly silentMs: number;
  readonly now: () => number;
  readonly sender: FrameSender;
  readonly listener: Pick<ControlHandler, "isAhead" | "duplicateId">;
  /** Whether frames wait or were just dropped that may close the gap: requests are held back. */
  readonly isLoaded: (now: number) => boolean;
  /** Writes a reply, and calls `done` when all of it has left. */
  readonly reply: (reply: SyncReply, done?: () => void) => void;
}

/** A sync reply that has been begun. */
interface BegunReply {
  readonly since: number;
  /** The last frame of counts that it includes. */
  readonly upTo: number;
  /** The replica that it is for; absent when it is for all. */
  readonly to: string | undefined;
  /** Whether it includes counts of other replicas. */
  readonly others: boolean;
  readonly beganAtMs: number;
  /** Infinite until it has left. */
  endedAtMs: number;
}

export class GapRepair {
  readonly #options: GapRepairOptions;
  readonly #relays: FrameRelay;
  #replyAtMs = NEVER;
  #replySince = 0;
  #replyTo: string | undefined;
  #replyOthers = false;
  #repliesToJoining = false;
  /** The last reply. */
  #lastReply: BegunReply | undefined;
  /** When frames were last waiting that may close gaps. */
  #loadedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: GapRepairOptions) {
    this.#options = options;
    this.#relays = new FrameRelay(options);
  }

  /** When the next work is due. */
  get dueAtMs(): number {
    let dueAtMs = Math.min(this.#replyAtMs, this.#relays.dueAtMs);
    for (const { askAtMs } of this.#options.members.all()) dueAtMs = Math.min(dueAtMs, askAtMs);
    return dueAtMs;
  }

  /** Asks all live replicas for all of their counts; returns whether any replica has counts. */
  askForAll(now: number): boolean {
    const { members, sender } = this.#options;
    let hasAnyCounted = false;
    for (const member of members.all()) {
      if (member.sent === 0) continue;
      hasAnyCounted = true;
      member.forget();
      if (!member.isAlive) continue;
      sender.ask({ ...halvesOf(member.id), since: 0, others: false });
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
  requested(from: Member, { low, high, since, others }: Asking, sent: number, now: number): void {
    const { replicas, members } = this.#options;
    const id = idOf(low, high);
    this.#claimed(id, since);
    if (id === replicas.selfId) {
      const isUnderWay = this.#isReplying(from.id, since, others, now);
      if (since <= sent && !isUnderWay) this.#owe(from, since, others, now);
      return;
    }
    const member = members.find(id);
    if (member === undefined || member.askAtMs === NEVER || since > member.frames.last) return;
    // The reply to a second request is a broadcast.
    if (since === 0 || ++member.requestsOfOthers < 2) return;
    member.askAtMs = Math.max(member.askAtMs, now + ASK_AGAIN_MS);
  }

  /** A heartbeat of a member arrived. */
  heartbeat(from: Member, { behind }: Heartbeat, now: number): void {
    for (const { low, high, number } of behind) this.#claimed(idOf(low, high), number);
    from.lagReports.reported(behind);
    from.reachability.heartbeat(behind, this.#options.replicas.selfId);
    if (behind.length > 0) this.#relays.lagReported(now);
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
    for (const { id, isBehind, hasLeft, lastReceivedMs, frames } of this.#options.members.all()) {
      const silenceMs = now - lastReceivedMs;
      const isSilent = !hasLeft && silenceMs > this.#options.silentMs;
      if (!isSilent && (!isBehind || repairsItself)) continue;
      const isLongSilent = silenceMs >= SILENCE_MS_MAX;
      (isLongSilent ? longSilent : isBehind ? behind : silent).push({
        ...halvesOf(id),
        number: frames.last,
      });
    }
    // More than fit take turns.
    return [behind, silent, longSilent].flatMap((some) => this.#rotated(some)).slice(0, BEHIND_MAX);
  }

  /** Asks some members that do not receive this replica. A reply shows that they do by now. */
  askUnreached(): void {
    const unreached = Array.from(this.#options.members.all()).filter(
      ({ isAlive, reachability }) => isAlive && reachability.isLost,
    );
    for (const { id, frames, reachability } of this.#rotated(unreached).slice(0, UNREACHED_MAX)) {
      const since = frames.last;
      reachability.requested(since);
      this.#options.sender.ask({ ...halvesOf(id), since, others: false });
    }
  }

  /** Sends the reply that is owed, if one is. */
  sendOwedReply(): void {
    if (this.#replyAtMs === NEVER) return;
    this.#replyAtMs = NEVER;
    const since = this.#replySince;
    const to = this.#replyTo;
    const levels = this.#replyOthers;
    const others = levels ? Array.from(this.#options.members.all()) : [];
    const toJoining = this.#repliesToJoining;
    const beganAtMs = this.#options.now();
    const upTo = this.#options.sender.counted;
    const reply = { since, upTo, to, others: levels, beganAtMs, endedAtMs: NEVER };
    this.#lastReply = reply;
    this.#options.reply({ since, to, others, levels, toJoining }, () => {
      reply.endedAtMs = this.#options.now();
    });
  }

  /**
   * A replica claims to have received a replica's frame of this number. If the origin is this one
   * and has not sent that frame, another process uses the same id, for example a copy of a
   * snapshot.
   */
  #claimed(id: string, number: number): void {
    const { replicas, listener } = this.#options;
    if (id === replicas.selfId && listener.isAhead(number)) listener.duplicateId();
  }

  /**
   * Whether a reply to this request is under way, or just was: reading it takes as long as writing.
   */
  #isReplying(asker: string, since: number, others: boolean, now: number): boolean {
    const reply = this.#lastReply;
    if (reply === undefined) return false;
    const { beganAtMs, endedAtMs, to } = reply;
    const isOver =
      endedAtMs === NEVER ? !this.#options.isReplying() : now > 2 * endedAtMs - beganAtMs;
    if (isOver || (to !== undefined && to !== asker)) return false;
    if (others) return reply.others && since >= reply.since;
    return since >= reply.since && since < reply.upTo;
  }

  /** Does what is due. */
  work(now: number): void {
    for (const member of this.#options.members.all()) {
      if (now >= member.askAtMs) this.#ask(member, now);
    }
    if (now >= this.#replyAtMs && this.#options.isReplying()) {
      this.#replyAtMs = now + REPLY_SPACING_MS;
    } else if (now >= this.#replyAtMs) {
      this.sendOwedReply();
    }
    this.#relays.work(now);
  }

  /** Drops the relay round that is running. */
  stop(): void {
    this.#relays.stop();
  }

  /** Rotates the list to a random start, so that each item gets its turn. */
  #rotated<Item>(items: readonly Item[]): Item[] {
    const first = Math.floor(this.#options.random() * items.length);
    return [...items.slice(first), ...items.slice(0, first)];
  }

  #isLoaded(now: number): boolean {
    const isLoaded = this.#options.isLoaded(now);
    if (isLoaded) this.#loadedAtMs = now;
    return isLoaded;
  }

  #wait(leastMs: number, spreadMs: number): number {
    return leastMs + Math.floor(this.#options.random() * spreadMs);
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
    const since = member.frames.last;
    this.#options.sender.ask({ ...halvesOf(member.id), since, others: false });
  }

  /** Whether another replica just got a reply alone: then the next reply is a broadcast. */
  #isSecond(asker: string, since: number, now: number): boolean {
    const reply = this.#lastReply;
    if (reply === undefined || now >= reply.endedAtMs + ASK_AGAIN_MS) return false;
    return since > 0 && reply.since > 0 && reply.to !== asker;
  }

  /** One reply serves all requests until it is sent: it begins at the first gap. */
  #owe({ id: to, isReady }: Member, since: number, others: boolean, now: number): void {
    const isNew = others && isReady !== true;
    if (this.#replyAtMs === NEVER) {
      const soon = now + this.#wait(REPLY_AFTER_MS, REPLY_SPREAD_MS);
      const { beganAtMs = Number.NEGATIVE_INFINITY } = this.#lastReply ?? {};
      this.#replyAtMs = Math.max(soon, beganAtMs + REPLY_SPACING_MS);
      this.#replySince = since;
      this.#replyTo = this.#isSecond(to, since, now) ? undefined : to;
      this.#replyOthers = others;
      this.#repliesToJoining = isNew;
      return;
    }
    this.#replyOthers ||= others;
    this.#repliesToJoining ||= isNew;
    this.#replySince = Math.min(this.#replySince, since);
    if (this.#replyTo !== to) this.#replyTo = undefined;
  }
}
