/**
 * Whether a member receives this replica, judged by the member's heartbeats. A partition may be
 * one-way, and a replica that is not received would otherwise not notice it.
 *
 * Heartbeats name the replicas that their sender has fallen behind on. Frames get lost, so a member
 * names every replica now and then. It does not receive this one if several heartbeats in a row
 * name it with the same frame number, although other replicas could have relayed later frames. When
 * the member stops naming it, the member may just have forgotten it. Only its sync reply to a
 * request shows that it receives this replica again.
 */

import type { Behind } from "../../wire/control-sections.ts";
import { idOf } from "../membership/replica-id.ts";

const BEATS = 3;

export class Reachability {
  #number = -1;
  #beats = 0;
  /** The frame number after which this replica asked it for its counts. */
  #requestedSince: number | undefined;

  /** Whether it does not receive this replica. */
  get isLost(): boolean {
    return this.#beats >= BEATS;
  }

  /** A heartbeat names the replicas that its sender is behind on. */
  heartbeat(behind: readonly Behind[], self: string): void {
    const number = behind.find(({ low, high }) => idOf(low, high) === self)?.number ?? -1;
    if (number >= 0 || !this.isLost) {
      this.#beats = number >= 0 && number === this.#number ? this.#beats + 1 : 0;
    }
    this.#number = number;
  }

  requested(since: number): void {
    this.#requestedSince = since;
  }

  /** It replied to a request after this frame number, which hardly any other replica sent. */
  replied(since: number): void {
    if (since !== this.#requestedSince) return;
    this.#requestedSince = undefined;
    this.#beats = 0;
  }
}
