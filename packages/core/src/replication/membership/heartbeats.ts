/**
 * What a replica does once a second: it runs the failure and partition detectors, agrees on the
 * time, compares digests, and sends its heartbeat.
 *
 * A heartbeat is the sign of life. It also carries what other replicas need to find gaps: the
 * number of the last frame, the checksum of the membership, and the replicas that this one does not
 * receive.
 */

import type { Replicas } from "../../store/replicas/replicas.ts";
import type { DeadReplicaSync } from "../anti-entropy/dead-replica-sync.ts";
import type { GapRepair } from "../anti-entropy/gap-repair.ts";
import type { ClockAgreement } from "../clock/clock-agreement.ts";
import type { ClockCheck } from "../clock/clock-check.ts";
import type { ConfigDrift } from "../limiters/config-drift.ts";
import type { ReplicatedLimiters } from "../limiters/replicated-limiters.ts";
import type { FrameSender } from "../publish/frame-sender.ts";
import type { Publisher } from "../publish/publisher.ts";
import type { Rejections } from "../receive/rejections.ts";
import type { ReplayGuard } from "../receive/replay-guard.ts";
import { HeartbeatSchedule } from "./heartbeat-schedule.ts";
import type { Incarnation } from "./incarnation.ts";
import type { InitialSync } from "./initial-sync.ts";
import type { Membership } from "./membership.ts";
import type { PartitionMonitor } from "./partition-monitor.ts";

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

export interface HeartbeatsOptions {
  readonly beganAtMs: number;
  readonly random: () => number;
  readonly replicas: Replicas;
  readonly members: Membership;
  readonly replicatedLimiters: ReplicatedLimiters;
  readonly replayGuard: ReplayGuard;
  readonly partitionMonitor: PartitionMonitor;
  readonly agreement: ClockAgreement;
  readonly clockCheck: ClockCheck;
  readonly incarnation: Incarnation;
  readonly deadReplicaSync: DeadReplicaSync;
  readonly initialSync: InitialSync;
  readonly gapRepair: GapRepair;
  readonly rejections: Rejections;
  readonly configDrift: ConfigDrift;
  readonly sender: FrameSender;
  readonly publisher: Pick<Publisher, "heldMs" | "isPublishing">;
}

export class Heartbeats extends HeartbeatSchedule {
  readonly #options: HeartbeatsOptions;
  #reclaimAtMs = Number.NEGATIVE_INFINITY;
  /** Rejected counts with a time in the future, and until when they are a reason to ask all. */
  #ahead = 0;
  #aheadUntilMs = Number.NEGATIVE_INFINITY;
  #askAllAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: HeartbeatsOptions) {
    super(options.beganAtMs, options.random);
    this.#options = options;
  }

  beat(now: number): void {
    const { replicas, members, replicatedLimiters, replayGuard, partitionMonitor, agreement } =
      this.#options;
    const { deadReplicaSync, initialSync, gapRepair, configDrift, sender, publisher } =
      this.#options;
    const { clockCheck, incarnation } = this.#options;
    this.sent(now);
    if (clockCheck.isStale(now)) incarnation.change(true);
    replicatedLimiters.keepHouse(now, sender.counted);
    const rememberedMs = replayGuard.rememberedMs(replicatedLimiters.lifeMs);
    const isAnyForgotten = members.detectFailures(now, rememberedMs);
    const namedOnly = replicas.size - members.size;
    if (isAnyForgotten || (namedOnly > NAMED_ONLY_MAX && now >= this.#reclaimAtMs)) {
      this.#reclaimAtMs = now + RECLAIM_MS;
      const isMember = (id: string): boolean => members.find(id) !== undefined;
      replicatedLimiters.reclaim(replicas, isMember, () => publisher.isPublishing);
    }
    partitionMonitor.look(now);
    const hasJumped = agreement.agree(now);
    if (this.#hasBeenBehind(now, hasJumped)) gapRepair.askForAll(now);
    const sum = members.checksum();
    if (members.differs(sum, BEATS_DIFFERING)) deadReplicaSync.checksumDiffers(sum, now);
    gapRepair.askUnreached();
    const heartbeat = {
      isReady: initialSync.isOver,
      upMs: agreement.upMs(now),
      known: sum,
      ...replicatedLimiters.totals(),
      behind: gapRepair.behind(now),
      heldMs: publisher.heldMs(now),
    };
    sender.heartbeat(heartbeat, configDrift.described());
  }

  /** Whether counts were rejected as too early because this replica was suspended, and fit now. */
  #hasBeenBehind(now: number, hasJumped: boolean): boolean {
    const { ahead = 0 } = this.#options.rejections.parts;
    if (ahead > this.#ahead) this.#aheadUntilMs = now + BEFORE_JUMP_MS;
    this.#ahead = ahead;
    if (!hasJumped || now > this.#aheadUntilMs || now < this.#askAllAtMs) return false;
    this.#askAllAtMs = now + ASK_ALL_AGAIN_MS;
    return true;
  }
}
