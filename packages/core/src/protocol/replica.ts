/**
 * Replication: brings the stores of all replicas to agree. A state machine without I/O.
 *
 * A replica publishes deltas of its own counts (publish/), and receives and merges those of other
 * replicas (receive/). It closes gaps by anti-entropy (anti-entropy/). It keeps the membership with
 * its failure and partition detectors (membership/). All of it is gossip over one broadcast
 * channel: there is no leader and no server. Once a second it sends a heartbeat and checks which
 * members are alive.
 *
 * The replica has no timer, clock, transport or randomness of its own. Its driver calls it with
 * what happens and what time it is:
 *
 *     step      something has happened: a tick, a frame, a change of the transport …
 *     work      goes on with long work, a slice of some dozen records at a time
 *     poll      what the replica wants: a frame to send, an event to report …
 *     deadline  when to step with a tick at the latest
 *
 * So any order of events is a choice of the caller, and one seed replays it to the byte. None of
 * the four is called while another one runs. Every fault is counted and reported, and never thrown.
 */

import type { EventKind } from "../base/cluster-events.ts";
import type { Slices } from "../base/slices.ts";
import { Replicas } from "../store/replicas/replicas.ts";
import { FRAME_BYTES_MAX } from "../transport/transport.ts";
import { Seal } from "../wire/seal.ts";
import { DeadReplicaSync } from "./anti-entropy/dead-replica-sync.ts";
import { FrameRelay } from "./anti-entropy/frame-relay.ts";
import { GapRepair } from "./anti-entropy/gap-repair.ts";
import { ClockAgreement } from "./clock/clock-agreement.ts";
import { ClusterClock } from "./clock/cluster-clock.ts";
import { TravelTime } from "./clock/travel-time.ts";
import { Envelope } from "./envelope.ts";
import { ConfigDrift } from "./limiters/config-drift.ts";
import type { ReplicatedLimiter } from "./limiters/replicated-limiter.ts";
import { ReplicatedLimiters } from "./limiters/replicated-limiters.ts";
import { HeartbeatSchedule } from "./membership/heartbeat-schedule.ts";
import { Incarnation } from "./membership/incarnation.ts";
import { InitialSync } from "./membership/initial-sync.ts";
import { Membership } from "./membership/membership.ts";
import { PartitionDetector, type SeparatedMode } from "./membership/partition-detector.ts";
import { addressOf } from "./membership/replica-id.ts";
import type { TransportState } from "./publish/frame-lane.ts";
import { FrameSender, type HeartbeatContent } from "./publish/frame-sender.ts";
import { Publisher } from "./publish/publisher.ts";
import { FrameQueue } from "./receive/frame-queue.ts";
import { FrameReceiver } from "./receive/frame-receiver.ts";
import { Rejections } from "./receive/rejections.ts";
import { ReplayGuard } from "./receive/replay-guard.ts";
import type { ReplicaContext } from "./replica-context.ts";
import { Scheduler, Slicer } from "./scheduler.ts";

export {
  SEPARATED_MODES,
  type SeparatedMode,
  type Separation,
} from "./membership/partition-detector.ts";
export type { TransportState } from "./publish/frame-lane.ts";

/** Heartbeats after which a differing checksum is no coincidence. */
const BEATS_DIFFERING = 4;
/** How many replicas may be known by name only, before unused ones are reclaimed. */
const NAMED_ONLY_MAX = 1_024;
const RECLAIM_MS = 30_000;
/**
 * Counts that were ahead of time shortly before a jump of the cluster's time may be right after it.
 */
const BEFORE_JUMP_MS = 5_000;
/**
 * The least time between two requests to all: without a secret any sender can make the time jump.
 */
const ASK_ALL_AGAIN_MS = 30_000;
/** A tick that comes later than that shows that the process was blocked. */
const BLOCKED_MS = 100;
/** How many reports wait for `poll` at most; more are dropped. */
const REPORTS_MAX = 256;

export interface ReplicaOptions {
  readonly namespace: string;
  readonly secret: string | Uint8Array | undefined;
  /** The id that this replica begins with; no other replica ever had it. */
  readonly id: string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly readyTimeoutMs: number;
  /** How long counts of keys past half of their limit wait at most before they are published. */
  readonly flushMs: number;
  readonly onCold: SeparatedMode;
  /**
   * Whether limiters account for hits of other replicas that they cannot have received yet.
   *
   * @default true
   */
  readonly anticipates?: boolean | undefined;
  /** Own time, and the time of the wall clock, when the replica is created. */
  readonly nowMs: number;
  readonly wallMs: number;
}

/** What happens to a replica. */
export type ReplicaEvent =
  /**
   * Time has passed: the deadline is due, or earlier.
   *
   * @param wallMs what the wall clock shows
   * @param lateMs by how much this missed the moment for which the driver had planned it
   */
  | { readonly type: "tick"; readonly wallMs: number; readonly lateMs: number }
  /** A frame has arrived. It belongs to the replica from now on. */
  | { readonly type: "frame"; readonly frame: Uint8Array }
  /** The transport is like this now. */
  | { readonly type: "transport"; readonly state: Readonly<TransportState> }
  /** The transport has taken the frame of the last effect `send`, or dropped it. */
  | { readonly type: "sent"; readonly bytes: number; readonly isTaken: boolean }
  /**
   * Replicates what a limiter counts. The counts of other replicas for it were skipped so far, so
   * all of them are requested again, unless a closed limiter's part went on merging them.
   */
  | { readonly type: "attach"; readonly limiter: ReplicatedLimiter }
  /** A limiter is closed: its unsent counts leave at once. */
  | { readonly type: "detach"; readonly limiter: ReplicatedLimiter }
  /**
   * Publishes what is pending and leaves. The effect `left` says that this is done.
   *
   * @param atOnce leaves now, whether or not everything has been published
   */
  | { readonly type: "leave"; readonly atOnce?: boolean };

/** What a replica wants its driver to do. */
export type Effect =
  /** Send a frame, to the replica at an address or to all, and step with `sent`. */
  | { readonly type: "send"; readonly frame: Uint8Array; readonly to: string | undefined }
  | { readonly type: "report"; readonly sentence: string; readonly kind: EventKind }
  /** The initial sync is over. */
  | { readonly type: "ready" }
  /** The leave frame has been sent, and nothing follows. */
  | { readonly type: "left" };

export class Replica implements ReplicaContext {
  readonly onCold: SeparatedMode;
  readonly anticipates: boolean;
  readonly random: () => number;
  readonly replicas: Replicas;
  readonly clock: ClusterClock;
  readonly seal: Seal;
  readonly envelope: Envelope;
  readonly sender: FrameSender;
  readonly members: Membership;
  readonly scheduler: Scheduler = new Scheduler();
  readonly replicatedLimiters: ReplicatedLimiters = new ReplicatedLimiters(this.scheduler);
  readonly rejections: Rejections;
  readonly replayGuard: ReplayGuard;
  readonly initialSync: InitialSync;
  readonly partitionDetector: PartitionDetector;
  readonly publisher: Publisher;
  readonly incarnation: Incarnation;
  readonly frameQueue: FrameQueue;
  readonly receiver: FrameReceiver;
  readonly travelTime: TravelTime;

  readonly #heartbeats: HeartbeatSchedule;
  readonly #agreement: ClockAgreement;
  readonly #configDrift: ConfigDrift;
  readonly #gapRepair: GapRepair;
  readonly #relay: FrameRelay;
  readonly #deadReplicaSync: DeadReplicaSync;
  readonly #reclaiming: Slicer;
  #reclaimAtMs = Number.NEGATIVE_INFINITY;
  /** Rejected counts with a time in the future, and until when they are a reason to ask all. */
  #ahead = 0;
  #aheadUntilMs = Number.NEGATIVE_INFINITY;
  #askAllAtMs = Number.NEGATIVE_INFINITY;
  readonly #reports: Effect[] = [];
  #isReadyReported = false;
  #isLeaving = false;
  /** Whether nothing more is done, except to send the leave frame. */
  #isOver = false;
  #isLeft = false;

  constructor(options: ReplicaOptions) {
    const { namespace, secret, readyTimeoutMs, nowMs, wallMs } = options;
    this.onCold = options.onCold;
    this.anticipates = options.anticipates ?? true;
    // What the rooms share comes first: the rooms get this replica as their `ReplicaContext`.
    this.random = options.random;
    this.replicas = new Replicas(options.id);
    this.clock = new ClusterClock(nowMs, wallMs);
    this.seal = new Seal(namespace, secret);
    this.rejections = new Rejections(this.report);
    this.replayGuard = new ReplayGuard(this.seal, this.clock);
    const transport: TransportState = {
      isConnected: false,
      isBusy: false,
      maxPayload: FRAME_BYTES_MAX,
      trouble: undefined,
    };
    this.envelope = new Envelope(this.seal, this.replicas, transport);
    this.sender = new FrameSender(transport, this.envelope, this.clock, () => this.#heartbeat());
    this.members = new Membership(this.replicas, this.rejections, this.clock);
    this.#agreement = new ClockAgreement(this);
    this.#configDrift = new ConfigDrift(this);
    this.#deadReplicaSync = new DeadReplicaSync(this);
    this.initialSync = new InitialSync(this, this.#deadReplicaSync, readyTimeoutMs);
    this.partitionDetector = new PartitionDetector(this, this.initialSync, this.#agreement);
    this.frameQueue = new FrameQueue(this, (...frame) => this.#receive(...frame));
    this.publisher = new Publisher(this, options.flushMs, this.initialSync);
    this.incarnation = new Incarnation(this, this.publisher);
    this.#gapRepair = new GapRepair(this, this.publisher, this.incarnation, this.frameQueue);
    this.#relay = new FrameRelay(this, this.publisher);
    this.#reclaiming = new Slicer(this.scheduler);
    this.#heartbeats = new HeartbeatSchedule(nowMs, this.random);
    this.travelTime = new TravelTime(this);
    this.receiver = new FrameReceiver(this, {
      agreement: this.#agreement,
      configDrift: this.#configDrift,
      deadReplicaSync: this.#deadReplicaSync,
      gapRepair: this.#gapRepair,
      heartbeats: this.#heartbeats,
      incarnation: this.incarnation,
      publisher: this.publisher,
      relay: this.#relay,
      travelTime: this.travelTime,
    });
  }

  /** How many replicas there are, this one included. */
  get aliveCount(): number {
    return this.replicas.aliveCount;
  }

  /** The least time between two of its frames. */
  get spacingMs(): number {
    return this.publisher.spacingMs;
  }

  /** How long a frame travels to another replica. */
  get travelMs(): number {
    return this.travelTime.medianMs;
  }

  /** The name by which transports know this replica; it stays when the id changes. */
  get address(): string {
    return addressOf(this.replicas.selfId);
  }

  /** Takes an event for the operator, which leaves by `poll`. */
  readonly report = (sentence: string, kind: EventKind): void => {
    if (this.#reports.length < REPORTS_MAX) this.#reports.push({ type: "report", sentence, kind });
  };

  /** Something has happened, at this own time. */
  step(event: ReplicaEvent, nowMs: number): void {
    this.clock.advance(nowMs);
    if (event.type === "sent") this.sender.sent(event.bytes, event.isTaken);
    else if (event.type === "detach") this.#detach(event.limiter, nowMs);
    if (this.#isOver) return;
    if (event.type === "tick") this.#tick(event.wallMs, event.lateMs, nowMs);
    else if (event.type === "frame") this.frameQueue.take(event.frame);
    else if (event.type === "transport") this.#transportChanged(event.state, nowMs);
    else if (event.type === "attach") this.#attach(event.limiter, nowMs);
    else if (event.type === "leave") this.#leave(event.atOnce === true);
    this.#settle(nowMs);
  }

  /** Goes on with long work, up to so many slices; returns whether there is more. */
  work(slices: number, nowMs: number): boolean {
    this.clock.advance(nowMs);
    for (let left = slices; left > 0; left--) {
      if (this.#isOver || !this.scheduler.slice()) return false;
      this.#settle(nowMs);
    }
    return this.hasWork;
  }

  /** Whether `work` has something to do. */
  get hasWork(): boolean {
    return !this.#isOver && this.scheduler.isRunnable;
  }

  /** What this replica wants next, if anything. A frame is written only when the transport is free. */
  poll(nowMs: number): Effect | undefined {
    const report = this.#reports.shift();
    if (report !== undefined) return report;
    if (this.initialSync.isOver && !this.#isReadyReported) {
      this.#isReadyReported = true;
      return { type: "ready" };
    }
    this.clock.advance(nowMs);
    const next = this.sender.next();
    if (next !== undefined) {
      const { frame, to } = next;
      return { type: "send", frame, to: to === undefined ? undefined : addressOf(to) };
    }
    if (!this.#isOver || this.#isLeft) return undefined;
    this.#isLeft = true;
    return { type: "left" };
  }

  /** When to step with a tick at the latest; infinite once it has left. */
  deadline(): number {
    if (this.#isOver) return Number.POSITIVE_INFINITY;
    return Math.min(
      this.#heartbeats.dueAtMs,
      this.#gapRepair.dueAtMs,
      this.#relay.dueAtMs,
      this.#deadReplicaSync.dueAtMs,
      this.publisher.dueAtMs,
      this.initialSync.dueAtMs,
      this.partitionDetector.dueAtMs,
    );
  }

  /** What every event and every slice may have made possible. */
  #settle(now: number): void {
    if (this.incarnation.isChanging && !this.frameQueue.isReading) this.incarnation.work(now);
    if (this.#isLeaving && this.publisher.drain(now)) this.#leave(true);
  }

  #attach(limiter: ReplicatedLimiter, now: number): void {
    if (!this.replicatedLimiters.add(limiter, this.publisher.nextFrame)) return;
    if (this.#gapRepair.askForAll(now)) this.#deadReplicaSync.restart(now);
  }

  #detach(limiter: ReplicatedLimiter, now: number): void {
    const untilMs = now + this.replayGuard.rememberedMs(limiter.lifeMs);
    this.replicatedLimiters.retire(limiter, { publishedIn: this.publisher.nextFrame, untilMs });
    this.publisher.urgent(now);
  }

  #leave(atOnce: boolean): void {
    if (!this.#isLeaving) this.#gapRepair.sendOwedReply();
    this.#isLeaving = true;
    if (!atOnce) return;
    this.publisher.stop();
    this.#relay.stop();
    this.#reclaiming.stop();
    this.frameQueue.stop();
    this.initialSync.end();
    this.replicatedLimiters.end();
    this.sender.leave();
    this.#isOver = true;
  }

  /** Frames sent while disconnected are lost: a heartbeat at once shows others what they missed. */
  #transportChanged(state: Readonly<TransportState>, now: number): void {
    const { transport } = this.sender;
    const { isConnected } = transport;
    Object.assign(transport, state);
    if (state.isConnected && !isConnected) this.#heartbeats.dueAtMs = now;
    if (state.isConnected !== isConnected) this.partitionDetector.look(now);
    if (!state.isBusy) this.#lookAround(now);
  }

  *#receive(frame: Uint8Array, receivedAtMs: number): Slices {
    const member = yield* this.receiver.receive(frame, receivedAtMs);
    if (member === undefined) return;
    const now = this.clock.now();
    this.#gapRepair.received(member, now);
    this.#deadReplicaSync.received(member, now);
    if (this.initialSync.isOver) return;
    this.initialSync.work(now);
    this.partitionDetector.settle();
  }

  #tick(wallMs: number, lateMs: number, now: number): void {
    this.clock.wallRead(wallMs);
    if (lateMs > BLOCKED_MS) this.clock.blockedMs += lateMs;
    this.#lookAround(now);
  }

  /** Does what is due. */
  #lookAround(now: number): void {
    this.initialSync.work(now);
    if (now >= this.partitionDetector.dueAtMs) this.partitionDetector.look(now);
    this.partitionDetector.settle();
    this.frameQueue.look(now);
    if (now >= this.#heartbeats.dueAtMs) this.#beat(now);
    this.#gapRepair.work(now);
    this.#relay.work(now);
    this.#deadReplicaSync.work(now);
    this.publisher.work(now);
  }

  /**
   * Once a second: runs the failure and partition detectors, agrees on the time, compares digests,
   * and sends a heartbeat.
   */
  #beat(now: number): void {
    const { replicas, members, replicatedLimiters, publisher, sender } = this;
    this.#heartbeats.sent(now);
    if (this.#agreement.isStale(now)) this.incarnation.change(true);
    replicatedLimiters.keepHouse(now, sender.counted);
    const rememberedMs = this.replayGuard.rememberedMs(replicatedLimiters.lifeMs);
    const isAnyForgotten = members.detectFailures(now, rememberedMs);
    const namedOnly = replicas.size - members.size;
    if (isAnyForgotten || (namedOnly > NAMED_ONLY_MAX && now >= this.#reclaimAtMs)) {
      this.#reclaimAtMs = now + RECLAIM_MS;
      const isMember = (id: string): boolean => members.find(id) !== undefined;
      const isPublishing = (): boolean => publisher.isPublishing;
      this.#reclaiming.run(replicatedLimiters.reclaim(replicas, isMember, isPublishing));
    }
    this.partitionDetector.look(now);
    const hasJumped = this.#agreement.agree(now);
    if (this.#hasBeenBehind(now, hasJumped)) this.#gapRepair.askForAll(now);
    const checksum = members.checksum();
    if (members.differs(checksum, BEATS_DIFFERING))
      this.#deadReplicaSync.checksumDiffers(checksum, now);
    this.#gapRepair.askUnreached();
    sender.heartbeat();
  }

  /** What a heartbeat says that leaves now. */
  #heartbeat(): HeartbeatContent {
    const now = this.clock.now();
    const heartbeat = {
      isReady: this.initialSync.isOver,
      joinedForMs: this.#agreement.joinedForMs(now),
      checksum: this.members.checksum(),
      ...this.replicatedLimiters.totals(),
      behind: this.#gapRepair.behind(now),
      unsentAgeMs: this.publisher.unsentAgeMs(now),
    };
    return [heartbeat, this.#configDrift.described(), this.travelTime.next(now)];
  }

  /** Whether counts were rejected as too early because this replica was suspended, and fit now. */
  #hasBeenBehind(now: number, hasJumped: boolean): boolean {
    const { ahead = 0 } = this.rejections.parts;
    if (ahead > this.#ahead) this.#aheadUntilMs = now + BEFORE_JUMP_MS;
    this.#ahead = ahead;
    if (!hasJumped || now > this.#aheadUntilMs || now < this.#askAllAtMs) return false;
    this.#askAllAtMs = now + ASK_ALL_AGAIN_MS;
    return true;
  }
}
