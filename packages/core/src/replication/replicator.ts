/**
 * Replication: brings the stores of all replicas to agree.
 *
 * The replicator joins the rooms of this folder. It publishes deltas of own counts (publish/), and
 * receives and merges those of other replicas (receive/). It closes gaps by anti-entropy
 * (anti-entropy/). It keeps the membership with its failure and partition detectors (membership/).
 * All of it is gossip over one broadcast channel: there is no leader and no server. Once a second
 * it sends a heartbeat and checks which members are alive.
 *
 * Only the announcements of stores are on the path of a request, and they at most set a timer. Work
 * that may be long runs in slices. Every fault is counted and reported, and never thrown.
 */

import type { Report } from "../base/cluster-events.ts";
import type { Slices } from "../base/slices.ts";
import { Replicas } from "../store/replicas/replicas.ts";
import type { Clock } from "../time/clock.ts";
import { GuardedTransport } from "../transport/guarded-transport.ts";
import type { Transport } from "../transport/transport.ts";
import { Seal } from "../wire/seal.ts";
import { DeadReplicaSync } from "./anti-entropy/dead-replica-sync.ts";
import { FrameRelay } from "./anti-entropy/frame-relay.ts";
import { GapRepair } from "./anti-entropy/gap-repair.ts";
import { ClockAgreement } from "./clock/clock-agreement.ts";
import { ClusterClock } from "./clock/cluster-clock.ts";
import { Envelope } from "./envelope.ts";
import { ConfigDrift } from "./limiters/config-drift.ts";
import type { ReplicatedLimiter } from "./limiters/replicated-limiter.ts";
import { ReplicatedLimiters } from "./limiters/replicated-limiters.ts";
import { GracefulLeave } from "./membership/graceful-leave.ts";
import { HeartbeatSchedule } from "./membership/heartbeat-schedule.ts";
import { Incarnation } from "./membership/incarnation.ts";
import { InitialSync } from "./membership/initial-sync.ts";
import { Membership } from "./membership/membership.ts";
import { PartitionDetector, type SeparatedMode } from "./membership/partition-detector.ts";
import { addressOf } from "./membership/replica-id.ts";
import type { FlushScheduleOptions } from "./publish/flush-schedule.ts";
import { FrameSender } from "./publish/frame-sender.ts";
import { Publisher } from "./publish/publisher.ts";
import { FrameQueue } from "./receive/frame-queue.ts";
import { FrameReceiver } from "./receive/frame-receiver.ts";
import { Rejections } from "./receive/rejections.ts";
import { ReplayGuard } from "./receive/replay-guard.ts";
import type { ReplicaContext } from "./replica-context.ts";
import { ReplicationTimer } from "./replication-timer.ts";
import { Slicer } from "./slicer.ts";

export {
  SEPARATED_MODES,
  type SeparatedMode,
  type Separation,
} from "./membership/partition-detector.ts";

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

export interface ReplicatorOptions extends FlushScheduleOptions {
  readonly transport: Transport;
  readonly namespace: string;
  readonly secret: string | Uint8Array | undefined;
  readonly clock: Clock;
  /** The id that this replica begins with; no other replica ever had it. */
  readonly id: string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly readyTimeoutMs: number;
  readonly onCold: SeparatedMode;
  readonly report: Report;
}

export class Replicator implements ReplicaContext {
  readonly onCold: SeparatedMode;
  readonly report: Report;
  readonly random: () => number;
  readonly replicas: Replicas;
  readonly clock: ClusterClock;
  readonly seal: Seal;
  readonly envelope: Envelope;
  readonly sender: FrameSender;
  readonly members: Membership;
  readonly replicatedLimiters: ReplicatedLimiters = new ReplicatedLimiters();
  readonly rejections: Rejections;
  readonly replayGuard: ReplayGuard;
  readonly initialSync: InitialSync;
  readonly partitionDetector: PartitionDetector;
  readonly publisher: Publisher;
  readonly incarnation: Incarnation;
  readonly frameQueue: FrameQueue;
  readonly receiver: FrameReceiver;

  readonly #namespace: string;
  readonly #timer: ReplicationTimer;
  readonly #heartbeats: HeartbeatSchedule;
  readonly #agreement: ClockAgreement;
  readonly #configDrift: ConfigDrift;
  readonly #gapRepair: GapRepair;
  readonly #relay: FrameRelay;
  readonly #deadReplicaSync: DeadReplicaSync;
  readonly #reclaiming = new Slicer();
  #reclaimAtMs = Number.NEGATIVE_INFINITY;
  /** Rejected counts with a time in the future, and until when they are a reason to ask all. */
  #ahead = 0;
  #aheadUntilMs = Number.NEGATIVE_INFINITY;
  #askAllAtMs = Number.NEGATIVE_INFINITY;
  #wasConnected = false;
  #closing: Promise<void> | undefined;
  #isOver = false;

  constructor(options: ReplicatorOptions) {
    const { namespace, secret, readyTimeoutMs } = options;
    this.#namespace = namespace;
    this.onCold = options.onCold;
    // What the rooms share comes first: the rooms get this replicator as their `ReplicaContext`.
    this.report = options.report;
    this.random = options.random;
    this.replicas = new Replicas(options.id);
    this.clock = new ClusterClock(options.clock);
    this.seal = new Seal(namespace, secret);
    this.rejections = new Rejections(this.report);
    this.replayGuard = new ReplayGuard(this.seal, this.clock);
    this.#timer = new ReplicationTimer(this.clock, () => this.#work());
    const transport = new GuardedTransport(options.transport, this.report);
    this.envelope = new Envelope(this.seal, this.replicas, transport);
    this.sender = new FrameSender(transport, this.envelope, this.clock);
    this.members = new Membership(this.replicas, this.rejections, this.#timer);
    this.#agreement = new ClockAgreement(this);
    this.#configDrift = new ConfigDrift(this);
    this.#deadReplicaSync = new DeadReplicaSync(this);
    this.initialSync = new InitialSync(this, this.#deadReplicaSync, readyTimeoutMs);
    this.partitionDetector = new PartitionDetector(this, this.initialSync, this.#agreement);
    this.publisher = new Publisher(this, options, this.initialSync, this.#timer);
    this.incarnation = new Incarnation(this, this.publisher);
    this.frameQueue = new FrameQueue(this, (...frame) => this.#receive(...frame));
    this.#gapRepair = new GapRepair(this, this.publisher, this.incarnation, this.frameQueue);
    this.#relay = new FrameRelay(this, this.publisher);
    this.#heartbeats = new HeartbeatSchedule(this.clock.now(), this.random);
    this.receiver = new FrameReceiver(this, {
      agreement: this.#agreement,
      configDrift: this.#configDrift,
      deadReplicaSync: this.#deadReplicaSync,
      gapRepair: this.#gapRepair,
      heartbeats: this.#heartbeats,
      incarnation: this.incarnation,
      publisher: this.publisher,
      relay: this.#relay,
    });
  }

  /** Begins to receive and to publish. */
  open(): void {
    const context = { namespace: this.#namespace, replica: addressOf(this.replicas.selfId) };
    const changed = (): void => this.#transportChanged();
    try {
      this.sender.transport.open((frame) => this.frameQueue.take(frame), { ...context, changed });
    } catch (error) {
      // The transport may have kept the callbacks, but this replica must not act any more.
      this.#isOver = true;
      throw error;
    }
    this.#wasConnected = this.sender.isConnected;
    this.#work();
  }

  /**
   * Replicates what a limiter counts. The counts of other replicas for it were skipped so far, so
   * all of them are requested again, unless a closed limiter's part went on merging them.
   */
  join(replicated: ReplicatedLimiter): void {
    if (!this.replicatedLimiters.add(replicated, this.publisher.nextFrame)) return;
    const now = this.clock.now();
    if (!this.#gapRepair.askForAll(now)) return;
    this.#deadReplicaSync.restart(now);
    this.#timer.at(now);
  }

  /** A limiter is closed: its unsent counts leave at once. */
  part(replicated: ReplicatedLimiter): void {
    const now = this.clock.now();
    const untilMs = now + this.replayGuard.rememberedMs(replicated.lifeMs);
    this.replicatedLimiters.retire(replicated, { publishedIn: this.publisher.nextFrame, untilMs });
    this.publisher.urgent(now);
  }

  /** Publishes the rest, sends a leave frame, and closes everything; waits until it has left. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { publisher, sender } = this;
    const gracefulLeave = new GracefulLeave(this, publisher);
    // When all processes leave at once, the one that relayed for the others may have just left.
    if (!sender.isConnected) await gracefulLeave.wait();
    this.#gapRepair.sendOwedReply();
    while (!gracefulLeave.goOn()) await gracefulLeave.wait();
    sender.announce("leave");
    this.#isOver = true;
    this.#timer.stop();
    this.#relay.stop();
    this.#reclaiming.stop();
    this.frameQueue.stop();
    this.initialSync.end();
    this.replicatedLimiters.close();
    await gracefulLeave.close();
  }

  /** Frames sent while disconnected are lost: a heartbeat at once shows others what they missed. */
  #transportChanged(): void {
    const { isConnected } = this.sender;
    const isBack = isConnected && !this.#wasConnected;
    this.#wasConnected = isConnected;
    if (this.#isOver) return;
    const now = this.clock.now();
    if (isBack) this.#heartbeats.dueAtMs = now;
    this.partitionDetector.look(now);
    this.#work();
  }

  *#receive(frame: Uint8Array, receivedAtMs: number): Slices {
    const member = this.#isOver ? undefined : yield* this.receiver.receive(frame, receivedAtMs);
    if (member === undefined) return;
    const now = this.clock.now();
    this.#gapRepair.received(member, now);
    this.#deadReplicaSync.received(member, now);
    if (!this.initialSync.isOver) {
      this.initialSync.work(now);
      this.partitionDetector.settle();
    }
    this.#wake();
  }

  #work(): void {
    if (this.#isOver) return;
    const now = this.clock.now();
    this.initialSync.work(now);
    if (now >= this.partitionDetector.dueAtMs) this.partitionDetector.look(now);
    this.partitionDetector.settle();
    this.frameQueue.look(now);
    if (now >= this.#heartbeats.dueAtMs) this.#beat(now);
    this.#gapRepair.work(now);
    this.#relay.work(now);
    this.#deadReplicaSync.work(now);
    this.publisher.work(now);
    this.#wake();
  }

  #wake(): void {
    this.#timer.at(
      Math.min(
        this.#heartbeats.dueAtMs,
        this.#gapRepair.dueAtMs,
        this.#relay.dueAtMs,
        this.#deadReplicaSync.dueAtMs,
        this.publisher.dueAtMs,
        this.initialSync.dueAtMs,
        this.partitionDetector.dueAtMs,
      ),
    );
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
    const heartbeat = {
      isReady: this.initialSync.isOver,
      joinedForMs: this.#agreement.joinedForMs(now),
      checksum,
      ...replicatedLimiters.totals(),
      behind: this.#gapRepair.behind(now),
      unsentAgeMs: publisher.unsentAgeMs(now),
    };
    sender.heartbeat(heartbeat, this.#configDrift.described());
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
