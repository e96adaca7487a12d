/**
 * What a replica makes of the others when it looks around: whether it hears them, and what that means
 * for requests.
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
  /** That the others are not heard, if they are not: requests look at it. */
  separation: Separation | null = null;
  readonly #options: PartitionMonitorOptions;
  readonly #partitionDetector = new PartitionDetector();

  constructor(options: PartitionMonitorOptions) {
    this.#options = options;
  }

  /** How often the others were not heard any more. */
  get cuts(): number {
    return this.#partitionDetector.cuts;
  }

  /** Whether this replica is cut off from others that it knows. */
  get isCut(): boolean {
    return this.#partitionDetector.isCut;
  }

  /** When to look again, if that is sooner than with every heartbeat. */
  get dueAtMs(): number {
    return this.#partitionDetector.dueAtMs;
  }

  /** Looks whether the others are still there, and says so if that has changed. */
  look(now: number): void {
    const { initialSync, members, sender, clockCheck, report } = this.#options;
    const partitionDetector = this.#partitionDetector;
    const apart = clockCheck.apartFrom(now);
    const { transport, isConnected } = sender;
    if (isConnected) transport.trouble = undefined;
    if (!partitionDetector.look(now, isConnected, initialSync.isCold, members, apart)) return;
    this.settle();
    report(partitionDetector.sentence(transport.trouble), partitionDetector.kind);
  }

  /** Draws the conclusion from what is known. */
  settle(): void {
    const { initialSync, replicas } = this.#options;
    this.separation = this.#partitionDetector.separation(initialSync.isCold, replicas.aliveCount);
  }
}
