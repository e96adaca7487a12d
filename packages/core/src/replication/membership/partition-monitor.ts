/**
 * Runs the partition detector, reports what changes, and keeps its conclusion where requests read
 * it.
 */

import type { Report } from "../../base/cluster-events.ts";
import type { Replicas } from "../../store/replicas/replicas.ts";
import type { ClockCheck } from "../clock/clock-check.ts";
import type { FrameSender } from "../publish/frame-sender.ts";
import type { InitialSync } from "./initial-sync.ts";
import type { Membership } from "./membership.ts";
import { PartitionDetector, type Separation } from "./partition-detector.ts";

export interface PartitionMonitorOptions {
  readonly members: Membership;
  readonly sender: FrameSender;
  readonly initialSync: InitialSync;
  readonly replicas: Replicas;
  readonly clockCheck: ClockCheck;
  readonly report: Report;
}

export class PartitionMonitor {
  /** The partition that this replica is in, if any. Requests read it. */
  separation: Separation | null = null;
  readonly #options: PartitionMonitorOptions;
  readonly #partitionDetector = new PartitionDetector();

  constructor(options: PartitionMonitorOptions) {
    this.#options = options;
  }

  /** How many partitions there have been. */
  get cuts(): number {
    return this.#partitionDetector.cuts;
  }

  /** Whether this replica is partitioned from members that it knows. */
  get isCut(): boolean {
    return this.#partitionDetector.isCut;
  }

  /** When to look again, if that is before the next heartbeat. */
  get dueAtMs(): number {
    return this.#partitionDetector.dueAtMs;
  }

  /** Runs the detector, and reports a change. */
  look(now: number): void {
    const { initialSync, members, sender, clockCheck, report } = this.#options;
    const partitionDetector = this.#partitionDetector;
    const clocksApart = clockCheck.countApart(now);
    const { transport, isConnected } = sender;
    if (isConnected) transport.trouble = undefined;
    if (!partitionDetector.look(now, isConnected, initialSync.isCold, members, clocksApart)) return;
    this.settle();
    report(partitionDetector.sentence(transport.trouble), partitionDetector.kind);
  }

  /** Derives from the detector's state what requests read. */
  settle(): void {
    const { initialSync, replicas } = this.#options;
    this.separation = this.#partitionDetector.separation(initialSync.isCold, replicas.aliveCount);
  }
}
