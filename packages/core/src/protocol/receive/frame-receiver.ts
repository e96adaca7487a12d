/**
 * Reads received frames, checks which counts may be believed, and merges them into the stores.
 *
 * The header of a frame is judged before its sections. All counts in it belong to its sender: no
 * replica may report the counts of another one, except of a dead one (`ThirdPartyCounts`).
 * Everything that is refused is counted by its reason (`Rejections`).
 */

import type { Slices } from "../../base/slices.ts";
import type { Component } from "../../crdt/component.ts";
import { MARK_MS_MAX } from "../../crdt/mark.ts";
import { MergeBatch } from "../../store/delta/merge-batch.ts";
import { NO_REPLICA, SELF } from "../../store/replicas/replicas.ts";
import type { Store } from "../../store/store.ts";
import {
  type CheckpointSink,
  readCheckpoints,
  type WireCheckpoint,
} from "../../wire/checkpoint-section.ts";
import {
  type ComponentHead,
  ComponentReader,
  type ComponentSink,
  type PeriodEncoding,
} from "../../wire/component-section.ts";
import {
  type Heartbeat,
  type ReplyPart,
  readEcho,
  readFormer,
  readHeartbeat,
  readLimiters,
  readReplicaReport,
  readReplyPart,
  readSyncRequest,
  type WireFormer,
} from "../../wire/control-sections.ts";
import { type FrameReader, SECTIONS } from "../../wire/frame.ts";
import { type NoteSink, readNotes, type WireNote } from "../../wire/note-section.ts";
import type { DeadReplicaSync } from "../anti-entropy/dead-replica-sync.ts";
import type { FrameRelay } from "../anti-entropy/frame-relay.ts";
import type { GapRepair } from "../anti-entropy/gap-repair.ts";
import { ThirdPartyCounts } from "../anti-entropy/third-party-counts.ts";
import type { ClockAgreement } from "../clock/clock-agreement.ts";
import type { TravelTime } from "../clock/travel-time.ts";
import type { ConfigDrift } from "../limiters/config-drift.ts";
import type { ReplicatedLimiter } from "../limiters/replicated-limiter.ts";
import type { HeartbeatSchedule } from "../membership/heartbeat-schedule.ts";
import type { Incarnation } from "../membership/incarnation.ts";
import type { Member } from "../membership/member.ts";
import { idOf } from "../membership/replica-id.ts";
import type { Publisher } from "../publish/publisher.ts";
import type { ReplicaContext } from "../replica-context.ts";
import type { FrameFault } from "./rejections.ts";

/** Resets and marks further ahead of the cluster's time than this are refused. */
const AHEAD_MS_MAX = 10 * 60 * 1_000;

/** How many sections are read before the slice may end, however short they are. */
const SECTIONS_AT_ONCE = 16;

/** What reacts to the sections of a frame that are not counts. */
export interface Reacting {
  readonly agreement: ClockAgreement;
  readonly configDrift: ConfigDrift;
  readonly deadReplicaSync: DeadReplicaSync;
  readonly gapRepair: GapRepair;
  readonly heartbeats: HeartbeatSchedule;
  readonly incarnation: Incarnation;
  readonly publisher: Publisher;
  readonly relay: FrameRelay;
  readonly travelTime: TravelTime;
}

export class FrameReceiver implements ComponentSink, NoteSink, CheckpointSink {
  frames = 0;
  bytes = 0;

  readonly #context: ReplicaContext;
  readonly #reacting: Reacting;
  readonly #components = new ComponentReader();
  readonly #joining = new MergeBatch();

  // Of the frame that is being read:
  #sender = 0;
  #sentAtMs = 0;
  readonly #thirdPartyCounts: ThirdPartyCounts;
  #store: Store | undefined;
  #encoding: PeriodEncoding = "period";
  /** The number in its header, and whether everything that the frame says is merged already. */
  #number = 0;
  #isKnown = false;
  #policy = 0;

  constructor(context: ReplicaContext, reacting: Reacting) {
    this.#context = context;
    this.#reacting = reacting;
    this.#thirdPartyCounts = new ThirdPartyCounts(context);
  }

  /** Reads a frame, in slices; returns its sender, if the frame was accepted. */
  *receive(frame: Uint8Array, receivedAtMs: number): Generator<undefined, Member | undefined> {
    this.frames++;
    this.bytes += frame.length;
    const { envelope, replicas, members, replayGuard, clock } = this.#context;
    const { publisher, incarnation, agreement, relay } = this.#reacting;
    const reader = envelope.open(frame);
    if (typeof reader === "string") return this.#refuse(reader);
    const { sentAtMs, number } = reader.header;
    const id = envelope.sender;
    // Transports may deliver a replica's own frames.
    if (id === replicas.selfId && !publisher.isAhead(number)) return this.#refuse("own");
    if (!envelope.isGenuine(frame)) return this.#refuse("forged");
    if (id === replicas.selfId) {
      incarnation.change();
      return this.#refuse("own");
    }
    if (!replayGuard.isFresh(id, members.find(id), sentAtMs)) return this.#refuse("farClock");
    const member = members.received(id, receivedAtMs, sentAtMs, number);
    if (member === undefined || member.index >= NO_REPLICA) return this.#refuse("tooManyReplicas");
    agreement.frameOpened(clock.now());
    const isLatest = sentAtMs >= member.clockMs;
    this.#sentAtMs = sentAtMs + replicas.offsetMs(member.index);
    if (!(yield* this.#read(reader, member, receivedAtMs))) return this.#refuse("malformed");
    // A frame that is not the latest was relayed by a replica that keeps it already.
    if (isLatest) relay.recent.keep(member, frame);
    return member;
  }

  #refuse(why: FrameFault): undefined {
    this.#context.rejections.frame(why, this.#context.envelope.sender);
    return undefined;
  }

  /** Reads all sections, and only then records the frame as received. */
  *#read(reader: FrameReader, member: Member, receivedAtMs: number): Generator<undefined, boolean> {
    const { replayGuard, members, clock, replicas } = this.#context;
    const { gapRepair, configDrift, deadReplicaSync, heartbeats, travelTime } = this.#reacting;
    const { kind, number, sentAtMs } = reader.header;
    const isCurrent = replayGuard.isCurrent(member, sentAtMs);
    this.#sender = member.index;
    this.#number = number;
    // Parts of a long reply are merged until the whole reply is known.
    this.#isKnown = kind === "reply" ? number <= member.frames.last : member.frames.knows(number);
    const { forgotten } = member;
    this.#thirdPartyCounts.begin();
    let part: ReplyPart | undefined;
    let sections = 0;
    for (let type = reader.nextSection(); type !== undefined; type = reader.nextSection()) {
      if (type === SECTIONS.components) {
        yield* this.#readComponents(reader);
      } else if (type === SECTIONS.notes) yield* readNotes(reader, this);
      else if (type === SECTIONS.checkpoints) yield* readCheckpoints(reader, this);
      else if (type === SECTIONS.replyPart) part = readReplyPart(reader);
      else if (type === SECTIONS.replicaReport) {
        const received = readReplicaReport(reader);
        if (received !== undefined) this.#thirdPartyCounts.addReport(received, this.#sentAtMs);
      } else if (type === SECTIONS.heartbeat) {
        const heartbeat = readHeartbeat(reader);
        if (heartbeat !== undefined) member.lag?.claim(number, sentAtMs - heartbeat.unsentAgeMs);
        if (heartbeat !== undefined && isCurrent) this.#takeHeartbeat(member, heartbeat);
      } else if (type === SECTIONS.limiters) {
        configDrift.received(member.id, readLimiters(reader), clock.now());
      } else if (type === SECTIONS.former) {
        const former = readFormer(reader);
        if (former !== undefined && isCurrent) this.#takeFormer(member, former);
      } else if (type === SECTIONS.echo) {
        const echo = readEcho(reader);
        const isOwn = echo !== undefined && idOf(echo.low, echo.high) === replicas.selfId;
        if (isOwn && isCurrent) travelTime.received(echo, receivedAtMs);
      } else if (type === SECTIONS.syncRequest) {
        const request = readSyncRequest(reader);
        if (request !== undefined && isCurrent) gapRepair.requested(member, request, clock.now());
      }
      if (reader.isBroken) return false;
      if (++sections % SECTIONS_AT_ONCE === 0) yield;
    }
    if (reader.isBroken) return false;
    // A limiter that was created meanwhile did not merge the sections that were read before it.
    if (member.forgotten !== forgotten) return true;
    if (part !== undefined) {
      const isComplete = this.#thirdPartyCounts.cover(member, part);
      if (isComplete) deadReplicaSync.replyCompleted(member, clock.now());
      if (isCurrent) member.lagReports.replied(part.since);
    } else if (kind === "counts") {
      member.frames.add(number);
      // The clock of a single frame is read when the frame is closed.
      if (reader.header.isUnrepeated !== true) member.lag?.claim(number, sentAtMs);
    }
    member.lag?.merged(member.frames.last);
    replicas.setReceivedUpTo(member.index, member.frames.last);
    if (kind === "hello" && isCurrent) heartbeats.helloReceived(clock.now());
    if (kind === "leave") members.leave(member);
    return true;
  }

  #takeHeartbeat(member: Member, heartbeat: Heartbeat): void {
    const { replicas, clock } = this.#context;
    const { incarnation, relay } = this.#reacting;
    const { behind } = heartbeat;
    member.lastHeartbeat = heartbeat;
    for (const { low, high, number } of behind) incarnation.claimed(idOf(low, high), number);
    member.lagReports.reported(behind, replicas.selfId);
    if (behind.length > 0) relay.lagReported(clock.now());
  }

  #takeFormer(member: Member, { low, high, upTo }: WireFormer): void {
    const { replicas, members } = this.#context;
    const id = idOf(low, high);
    const replica = members.find(id)?.index;
    if (id === replicas.selfId) this.#reacting.incarnation.duplicateRenamed(member);
    else if (replica !== undefined) replicas.formers.set(member.index, { replica, upTo });
  }

  /** Reads a section a few counts at a time. */
  *#readComponents(reader: FrameReader): Slices {
    yield* this.#components.read(reader, this, this.#joining.capacity);
    if (this.#store !== undefined) this.#joining.joinAll(this.#store);
  }

  // ── Sections of counts ───────────────────────────────────────────────────────────────────────

  counter({ limiter, of, policy, encoding }: ComponentHead): number | undefined {
    const { rejections } = this.#context;
    const replicated = this.#replicatedLimiterOf(limiter.low, limiter.high);
    this.#encoding = encoding;
    if (replicated === undefined) return undefined;
    if (replicated.periodEncodings[policy] !== encoding) {
      rejections.part("impossible");
      return undefined;
    }
    const isOwn = of.low === 0 && of.high === 0;
    // A held permit may have been released and forgotten since: it is news once, and from its
    // holder.
    if (encoding === "none" && (this.#isKnown || !isOwn)) return undefined;
    // A reply without news is merged all the same: it may be later than the frames that it covers.
    if (isOwn) return this.#sender;
    // Counts of another replica are accepted only if the frame has named that replica before.
    const index = this.#thirdPartyCounts.find(idOf(of.low, of.high));
    if (index === undefined) rejections.part("thirdParty");
    return index;
  }

  opener(low: number, high: number, baseMs: number, agoMs: number): number {
    const { replicas, members } = this.#context;
    const id = idOf(low, high);
    if (id === replicas.selfId) return SELF;
    const index = replicas.indexOf(id, false);
    // The clock of a replica that is received here is known better than by a report.
    const isKnown = members.find(id)?.isReceivedHere === true || replicas.offsetMs(index) !== 0;
    if (index < NO_REPLICA && !isKnown) {
      replicas.setOffset(index, this.#sentAtMs - agoMs - baseMs);
    }
    return index;
  }

  component(component: Component): void {
    if (this.#encoding === "none") component.period = this.#number;
    if (this.#encoding === "window" && component.opener === SELF) {
      component.period -= this.#context.clock.originMs;
      if (component.period < 0) {
        this.#context.rejections.part("impossible");
        return;
      }
    }
    if (component.reset > 0 && !this.#isNear(component.reset)) return;
    const store = this.#store;
    if (store !== undefined && this.#joining.take(component)) this.#joining.joinAll(store);
  }

  // ── Sections of notes ────────────────────────────────────────────────────────────────────────

  limiter(low: number, high: number, resetAll: number): boolean {
    const replicated = this.#replicatedLimiterOf(low, high);
    if (replicated !== undefined && resetAll > 0 && this.#isNear(resetAll)) {
      replicated.store.resets.joinAll(resetAll);
    }
    return replicated !== undefined;
  }

  note({ low, high, reset, markReset, marks }: WireNote): void {
    const store = this.#store;
    if (store === undefined) return;
    if (reset > 0 && this.#isNear(reset)) store.resets.join(low, high, reset);
    if (markReset > 0 && this.#isNear(markReset)) store.resets.joinMarkReset(low, high, markReset);
    for (const [kind, mark] of marks.entries()) {
      if (mark === undefined || !this.#isNear(mark.reset)) continue;
      if (this.#isNear(mark.untilMs - MARK_MS_MAX)) store.resets.joinMark(low, high, kind, mark);
    }
  }

  // ── Sections of checkpoints ──────────────────────────────────────────────────────────────────

  wants(low: number, high: number, policy: number): boolean {
    const replicated = this.#replicatedLimiterOf(low, high);
    this.#policy = policy;
    return replicated?.store.checkpoints.has(policy) === true;
  }

  checkpoint(received: WireCheckpoint): void {
    if (received.reset > 0 && !this.#isNear(received.reset)) return;
    this.#store?.checkpoints.join(this.#policy, this.#sender, received);
  }

  /** Finds a limiter, and gives its store the present time. */
  #replicatedLimiterOf(low: number, high: number): ReplicatedLimiter | undefined {
    const { replicatedLimiters, clock, rejections } = this.#context;
    const replicated = replicatedLimiters.find(low, high);
    this.#store = replicated?.store;
    if (replicated === undefined) {
      rejections.part("unknownLimiter");
    } else {
      const now = clock.now();
      replicated.store.advance(now, clock.clusterNow(now));
    }
    return replicated;
  }

  #isNear(clusterMs: number): boolean {
    const { clock, rejections } = this.#context;
    if (clusterMs <= clock.clusterNow(clock.now()) + AHEAD_MS_MAX) return true;
    rejections.part("farReset");
    return false;
  }
}
