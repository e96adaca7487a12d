/**
 * Replication: brings the stores of all replicas to agree.
 *
 * The replicator joins the rooms of this folder. It publishes deltas of own counts (publish/),
 * receives and merges those of other replicas (receive/), closes gaps by anti-entropy
 * (anti-entropy/), and keeps the membership with its failure and partition detectors (membership/).
 * All of it is gossip over one broadcast channel: there is no leader and no server.
 *
 * Only the announcements of stores are on the path of a request, and they at most set a timer. Work
 * that may be long runs in slices. Every fault is counted and reported, and never thrown.
 */

import type { Report } from "../base/cluster-events.ts";
import { Replicas } from "../store/replicas/replicas.ts";
import type { Clock } from "../time/clock.ts";
import { GuardedTransport } from "../transport/guarded-transport.ts";
import type { Transport } from "../transport/transport.ts";
import type { Asking, Heartbeat } from "../wire/control-sections.ts";
import { Seal } from "../wire/seal.ts";
import { DeadReplicaSync } from "./anti-entropy/dead-replica-sync.ts";
import { GapRepair } from "./anti-entropy/gap-repair.ts";
import { RecentFrames } from "./anti-entropy/recent-frames.ts";
import type { ReplyPartsFault } from "./anti-entropy/reply-parts-budget.ts";
import { ClockAgreement } from "./clock/clock-agreement.ts";
import { ClockCheck } from "./clock/clock-check.ts";
import { ClusterClock } from "./clock/cluster-clock.ts";
import { Envelope } from "./envelope.ts";
import { ConfigDrift } from "./limiters/config-drift.ts";
import type { ReplicatedLimiter } from "./limiters/replicated-limiter.ts";
import { ReplicatedLimiters } from "./limiters/replicated-limiters.ts";
import { GracefulLeave } from "./membership/graceful-leave.ts";
import { HEARTBEAT_MS } from "./membership/heartbeat-schedule.ts";
import { Heartbeats } from "./membership/heartbeats.ts";
import { Incarnation } from "./membership/incarnation.ts";
import { InitialSync } from "./membership/initial-sync.ts";
import type { Member } from "./membership/member.ts";
import { Membership } from "./membership/membership.ts";
import type { SeparatedMode } from "./membership/partition-detector.ts";
import { PartitionMonitor } from "./membership/partition-monitor.ts";
import { addressOf } from "./membership/replica-id.ts";
import type { FlushScheduleOptions } from "./publish/flush-schedule.ts";
import { FrameSender } from "./publish/frame-sender.ts";
import { Publisher } from "./publish/publisher.ts";
import type { ControlHandler } from "./receive/control-handler.ts";
import { FrameQueue } from "./receive/frame-queue.ts";
import { FrameReceiver } from "./receive/frame-receiver.ts";
import { Overload } from "./receive/overload.ts";
import { Rejections } from "./receive/rejections.ts";
import { ReplayGuard } from "./receive/replay-guard.ts";
import { ReplicationTimer } from "./replication-timer.ts";
import type { Slices } from "./slicer.ts";

const SILENT_MS = 3.5 * HEARTBEAT_MS;
/** Early enough for other replicas to relay its frames before it is taken to be silent. */
const BEHIND_AFTER_MS = 1.5 * HEARTBEAT_MS;
const MEMBERS_MAX = 4_096;

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

export class Replicator implements ControlHandler {
  readonly onCold: SeparatedMode;
  readonly replicas: Replicas;
  readonly clock: ClusterClock;
  readonly seal: Seal;
  readonly members: Membership;
  readonly replayGuard: ReplayGuard;
  readonly replicatedLimiters: ReplicatedLimiters = new ReplicatedLimiters();
  readonly receiver: FrameReceiver;
  readonly rejections: Rejections = new Rejections((...event) => this.#options.report(...event));
  readonly overload: Overload = new Overload((...event) => this.#options.report(...event));
  readonly frameQueue: FrameQueue;
  readonly sender: FrameSender;
  readonly initialSync: InitialSync;
  readonly publisher: Publisher;
  readonly partitionMonitor: PartitionMonitor;

  readonly #options: ReplicatorOptions;
  readonly #recent = new RecentFrames();
  readonly #agreement: ClockAgreement;
  readonly #incarnation: Incarnation;
  readonly #gapRepair: GapRepair;
  readonly #deadReplicaSync: DeadReplicaSync;
  readonly #timer: ReplicationTimer;
  readonly #heartbeats: Heartbeats;
  #wasConnected = false;
  #closing: Promise<void> | undefined;
  #isOver = false;

  constructor(options: ReplicatorOptions) {
    const { id, random, namespace, secret, readyTimeoutMs } = options;
    const transport = new GuardedTransport(options.transport, options.report);
    this.#options = options;
    this.onCold = options.onCold;
    const replicas = new Replicas(id);
    const clock = new ClusterClock(options.clock);
    const seal = new Seal(namespace, secret);
    const envelope = new Envelope(seal, replicas, transport);
    const lost = (why: ReplyPartsFault): void => this.rejections.part(why);
    const heldUpMs = (): number => this.#timer.heldUpMs;
    const bounds = { silentMs: SILENT_MS, membersMax: MEMBERS_MAX };
    const members = new Membership(replicas, { ...bounds, lost, heldUpMs });
    const sender = new FrameSender(transport, envelope, clock);
    const now = clock.now();
    this.replicas = replicas;
    this.clock = clock;
    this.seal = seal;
    this.members = members;
    this.sender = sender;
    const missedAfterMs = SILENT_MS + HEARTBEAT_MS;
    const deadReplicaSync = new DeadReplicaSync({ replicas, members, sender, missedAfterMs });
    this.#deadReplicaSync = deadReplicaSync;
    const times = { beganAtMs: now, timeoutMs: readyTimeoutMs };
    this.initialSync = new InitialSync({ members, sender, deadReplicaSync, ...times });
    this.replayGuard = new ReplayGuard(seal.isSealing, clock);
    const { initialSync, replicatedLimiters, rejections, replayGuard } = this;
    const clockCheck = new ClockCheck({ clock, members, replayGuard, silentMs: SILENT_MS });
    const sight = { members, sender, initialSync, replicas, clockCheck };
    this.partitionMonitor = new PartitionMonitor({ ...sight, report: options.report });
    this.#agreement = new ClockAgreement({ ...options, clock, members, replicas, beganAtMs: now });
    this.frameQueue = new FrameQueue({
      read: (frame, receivedAtMs) => this.#receive(frame, receivedAtMs),
      rejections,
      now: () => clock.now(),
      dropped: (at) => this.overload.dropped(at),
    });
    const common = { seal, envelope, clock, replicas, members, sender, random };
    const configDrift = new ConfigDrift(replicatedLimiters, options.report);
    const judges = { rejections, replayGuard, configDrift };
    this.receiver = new FrameReceiver({ ...common, ...judges, replicatedLimiters, listener: this });
    this.publisher = new Publisher({
      ...options,
      ...common,
      replicatedLimiters,
      replicaCount: () =>
        this.initialSync.isOver ? replicas.aliveCount : Number.POSITIVE_INFINITY,
      timerAt: (ms) => this.#timer.at(ms),
    });
    this.#incarnation = new Incarnation({
      ...options,
      ...common,
      replicatedLimiters,
      publisher: this.publisher,
    });
    this.#gapRepair = new GapRepair({
      ...common,
      ...{ recent: this.#recent, listener: this, now: () => clock.now() },
      silentMs: BEHIND_AFTER_MS,
      reply: (...answer) => this.publisher.reply(...answer),
      isReplying: () => this.publisher.isReplying,
      isLoaded: (at) => this.frameQueue.isLoaded(at) || this.overload.isDropping(at),
    });
    this.#timer = new ReplicationTimer(
      () => clock.now(),
      () => this.#work(),
    );
    const { publisher } = this;
    const watch = {
      partitionMonitor: this.partitionMonitor,
      agreement: this.#agreement,
      deadReplicaSync,
      initialSync,
      clockCheck,
      publisher,
    };
    this.#heartbeats = new Heartbeats({
      ...{ ...common, ...judges, ...watch, ...times, replicatedLimiters },
      ...{ gapRepair: this.#gapRepair, incarnation: this.#incarnation },
    });
  }

  /** Begins to receive and to publish. */
  open(): void {
    const { namespace } = this.#options;
    const context = { namespace, replica: addressOf(this.replicas.selfId) };
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

  /** A limiter is closed: its unpublished counts leave at once. */
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
    const gracefulLeave = new GracefulLeave({ publisher, sender, report: this.#options.report });
    // When all processes leave at once, the one that relayed for the others may have just left.
    if (!sender.isConnected) await gracefulLeave.wait();
    this.#gapRepair.sendOwedReply();
    while (!gracefulLeave.goOn()) await gracefulLeave.wait();
    sender.announce("leave");
    this.#isOver = true;
    this.#timer.stop();
    this.#gapRepair.stop();
    this.frameQueue.stop();
    this.#recent.forget();
    this.initialSync.end();
    this.replicatedLimiters.close();
    await gracefulLeave.close();
  }

  // ── Received frames ──────────────────────────────────────────────────────────────────────────

  frameOpened(): void {
    this.#agreement.frameOpened(this.clock.now());
  }

  heartbeat(from: Member, heartbeat: Heartbeat): void {
    from.heartbeat(heartbeat);
    this.#gapRepair.heartbeat(from, heartbeat, this.clock.now());
  }

  syncRequest(from: Member, asking: Asking): void {
    this.#gapRepair.requested(from, asking, this.sender.counted, this.clock.now());
  }

  hello(): void {
    this.#heartbeats.helloReceived(this.clock.now());
  }

  left(from: Member): void {
    this.members.leave(from);
  }

  deadReplicasReported(from: Member): void {
    this.#deadReplicaSync.replyCompleted(from, this.clock.now());
  }

  isAhead(number: number): boolean {
    return number >= this.publisher.nextFrame;
  }

  duplicateRenamed(by: Member): void {
    this.#incarnation.duplicateRenamed(by);
  }

  duplicateId(): void {
    this.#incarnation.change();
  }

  /** Frames sent while disconnected are lost. A heartbeat shows other replicas what they missed. */
  #transportChanged(): void {
    const { isConnected } = this.sender;
    const isBack = isConnected && !this.#wasConnected;
    this.#wasConnected = isConnected;
    if (this.#isOver) return;
    const now = this.clock.now();
    if (isBack) this.#heartbeats.hurry(now);
    this.partitionMonitor.look(now);
    this.#work();
  }

  *#receive(frame: Uint8Array, receivedAtMs: number): Slices {
    const member = this.#isOver ? undefined : yield* this.receiver.receive(frame, receivedAtMs);
    if (member === undefined) return;
    // A frame that is not the latest was relayed by a replica that keeps it already.
    if (this.receiver.isLatest) this.#recent.keep(member, frame);
    const now = this.clock.now();
    this.#gapRepair.received(member, now);
    this.#deadReplicaSync.received(member, now);
    if (!this.initialSync.isOver) {
      this.initialSync.work(now);
      this.partitionMonitor.settle();
    }
    this.#timer.at(
      Math.min(this.#gapRepair.dueAtMs, this.#deadReplicaSync.dueAtMs, this.#heartbeats.dueAtMs),
    );
  }

  // ── What is due ──────────────────────────────────────────────────────────────────────────────

  #work(): void {
    if (this.#isOver) return;
    const now = this.clock.now();
    this.initialSync.work(now);
    if (now >= this.partitionMonitor.dueAtMs) this.partitionMonitor.look(now);
    this.partitionMonitor.settle();
    this.overload.look(now);
    if (now >= this.#heartbeats.dueAtMs) this.#heartbeats.beat(now);
    this.#gapRepair.work(now);
    this.#deadReplicaSync.work(now);
    this.publisher.work(now);
    this.#timer.at(
      Math.min(
        this.#heartbeats.dueAtMs,
        this.#gapRepair.dueAtMs,
        this.#deadReplicaSync.dueAtMs,
        this.publisher.dueAtMs,
        this.initialSync.dueAtMs,
        this.partitionMonitor.dueAtMs,
      ),
    );
  }
}
