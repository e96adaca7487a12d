/**
 * How long frames travel from one replica to another, measured by echoes.
 *
 * Clocks of two replicas show the difference between the two directions, and never the time in
 * either. So every heartbeat names one other replica in turn. It repeats the clock of the latest
 * frame of that replica, and says how long ago that frame arrived. The replica that is named
 * subtracts both from its own clock, and has the time of the way there and back.
 */

import type { Echo } from "../../wire/control-sections.ts";
import type { Member } from "../membership/member.ts";
import { halvesOf } from "../membership/replica-id.ts";
import type { ReplicaContext } from "../replica-context.ts";

/** How many echoes are remembered. */
const ECHOES = 9;
/** A longer time is no travel: one of the processes stood still. */
const TRAVEL_MS_MAX = 250;
/** What is assumed before the first echo. */
const FIRST_MS = 1;

export class TravelTime {
  readonly #context: ReplicaContext;
  /** What the last echoes have shown. */
  readonly #travelMs: number[] = [];
  #medianMs: number = FIRST_MS;
  #turn = 0;

  constructor(context: ReplicaContext) {
    this.#context = context;
  }

  /**
   * How long a frame travels: the median of the last echoes. A process that stood still for a moment
   * makes some of them long.
   */
  get medianMs(): number {
    return this.#medianMs;
  }

  /** The echo for the replica whose turn it is, if its frames arrive here. */
  next(now: number): Echo | undefined {
    const received = Array.from(this.#context.members.all()).filter(
      ({ isAlive, isReceivedHere }) => isAlive && isReceivedHere,
    );
    if (received.length === 0) return undefined;
    this.#turn = (this.#turn + 1) % received.length;
    const { id, clockMs, clockReceivedMs }: Member = received[this.#turn]!;
    return { ...halvesOf(id), clockMs, heldMs: Math.max(0, now - clockReceivedMs) };
  }

  /** An echo for this replica has arrived. */
  received({ clockMs, heldMs }: Echo, receivedAtMs: number): void {
    const travelMs = (receivedAtMs + this.#context.clock.originMs - clockMs - heldMs) / 2;
    if (!(travelMs >= 0 && travelMs <= TRAVEL_MS_MAX)) return;
    this.#travelMs.push(travelMs);
    if (this.#travelMs.length > ECHOES) this.#travelMs.shift();
    const sorted = this.#travelMs.toSorted((left, right) => left - right);
    this.#medianMs = sorted[(sorted.length - 1) >> 1]!;
  }
}
