/**
 * What the rooms of replication share: this replica, its clock, the members that it knows, and its
 * way to send. It is the `Replica`, which the rooms must not import.
 */

import type { Report } from "../base/cluster-events.ts";
import type { Replicas } from "../store/replicas/replicas.ts";
import type { Seal } from "../wire/seal.ts";
import type { ClusterClock } from "./clock/cluster-clock.ts";
import type { Envelope } from "./envelope.ts";
import type { ReplicatedLimiters } from "./limiters/replicated-limiters.ts";
import type { Membership } from "./membership/membership.ts";
import type { FrameSender } from "./publish/frame-sender.ts";
import type { Rejections } from "./receive/rejections.ts";
import type { ReplayGuard } from "./receive/replay-guard.ts";
import type { Scheduler } from "./scheduler.ts";

export interface ReplicaContext {
  readonly replicas: Replicas;
  readonly clock: ClusterClock;
  readonly seal: Seal;
  /** Opens received frames, and writes the short ones of this replica. */
  readonly envelope: Envelope;
  readonly sender: FrameSender;
  readonly members: Membership;
  readonly replicatedLimiters: ReplicatedLimiters;
  readonly rejections: Rejections;
  readonly replayGuard: ReplayGuard;
  /** Runs the long work of this replica. */
  readonly scheduler: Scheduler;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly report: Report;
}
