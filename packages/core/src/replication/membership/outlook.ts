/**
 * What a replica makes of the others when it looks around: whether it hears them, and what that means
 * for requests.
 */

import type { Report } from "../../base/cluster-events.ts";
import type { Replicas } from "../../store/replicas/replicas.ts";
import type { ClockCheck } from "../clock/clock-check.ts";
import type { Sender } from "../publish/sender.ts";
import type { Arrival } from "./arrival.ts";
import { Isolation, type Separation } from "./isolation.ts";
import type { Members } from "./members.ts";

export interface OutlookOptions {
  readonly members: Members;
  readonly sender: Sender;
  readonly arrival: Arrival;
  readonly replicas: Replicas;
  readonly clockCheck: ClockCheck;
  readonly report: Report;
}

export class Outlook {
  /** That the others are not heard, if they are not: requests look at it. */
  separation: Separation | null = null;
  readonly #options: OutlookOptions;
  readonly #isolation = new Isolation();

  constructor(options: OutlookOptions) {
    this.#options = options;
  }

  /** How often the others were not heard any more. */
  get cuts(): number {
    return this.#isolation.cuts;
  }

  /** Whether this replica is cut off from others that it knows. */
  get isCut(): boolean {
    return this.#isolation.isCut;
  }

  /** When to look again, if that is sooner than with every heartbeat. */
  get dueAtMs(): number {
    return this.#isolation.dueAtMs;
  }

  /** Looks whether the others are still there, and says so if that has changed. */
  look(now: number): void {
    const { arrival, members, sender, clockCheck, report } = this.#options;
    const isolation = this.#isolation;
    const apart = clockCheck.apartFrom(now);
    const { transport, isConnected } = sender;
    if (isConnected) transport.trouble = undefined;
    if (!isolation.look(now, isConnected, arrival.isCold, members, apart)) return;
    this.settle();
    report(isolation.sentence(transport.trouble), isolation.kind);
  }

  /** Draws the conclusion from what is known. */
  settle(): void {
    const { arrival, replicas } = this.#options;
    this.separation = this.#isolation.separation(arrival.isCold, replicas.aliveCount);
  }
}
