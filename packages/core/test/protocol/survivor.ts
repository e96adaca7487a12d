/**
 * One replica that survives, and its partition detector, in a fleet whose other processes are
 * killed, restarted and partitioned.
 */

import { PartitionDetector } from "../../src/protocol/membership/partition-detector.ts";
import { Replicas } from "../../src/store/replicas/replicas.ts";
import { membershipOf } from "./membership-of.ts";

const HEARTBEAT_MS = 1_000;
/** The memory that a daily limit asks for. */
const FORGOTTEN_MS = 2 * 24 * 3_600_000;
const STEP_MS = 50;
/** How long a detector may take to see a change. */
export const NOTICED_MS = 10_000;

/** A process as a survivor sees it: it sends a heartbeat each second from its start to its end. */
interface Process {
  readonly id: string;
  readonly phaseMs: number;
  /** What its clock shows when the survivor's shows 0. */
  readonly clockMs: number;
  readonly beginsAtMs: number;
}

/**
 * One survivor, and the other processes of its fleet: each slot of the fleet holds one process at a
 * time.
 */
export class Survivor {
  nowMs = 0;
  readonly replicas = new Replicas("self");
  readonly members = membershipOf(this.replicas);
  readonly #sender = { transport: { isConnected: true } };
  /** What the partition detector reported last. */
  report = "";
  readonly partitionDetector = new PartitionDetector(
    {
      ...{ members: this.members, replicas: this.replicas, sender: this.#sender },
      report: (sentence: string) => {
        this.report = sentence;
      },
    } as never,
    { isCold: false } as never,
    { countApart: () => 0 } as never,
  );
  readonly #slots: Process[] = [];
  readonly #cutOff = new Set<number>();
  #started = 0;

  constructor(others: number) {
    for (let slot = 0; slot < others; slot++) this.start(slot, 0);
  }

  get isPartitioned(): boolean {
    return this.partitionDetector.isPartitioned;
  }

  /** Kills the process of a slot and starts its replacement some time later. */
  start(slot: number, afterMs: number): void {
    const number = this.#started++;
    this.#slots[slot] = {
      id: number.toString(16).padStart(16, "0"),
      phaseMs: (number * 370) % HEARTBEAT_MS,
      clockMs: (number % 3) * 1_000_000,
      beginsAtMs: this.nowMs + afterMs,
    };
  }

  kill(slot: number): void {
    this.start(slot, Number.POSITIVE_INFINITY);
  }

  cut(...slots: readonly number[]): void {
    for (const slot of slots) this.#cutOff.add(slot);
  }

  heal(): void {
    this.#cutOff.clear();
  }

  say(slot: number): void {
    const { id, clockMs } = this.#slots[slot]!;
    this.members.received(id, this.nowMs, this.nowMs + clockMs, 0);
  }

  /** Another replica relays a frame of a process that it reported on. */
  passOn(id: string, lateMs: number): void {
    this.members.reported(id, this.nowMs, this.nowMs - lateMs, 0);
    this.members.received(id, this.nowMs, this.nowMs - lateMs + 20, 0);
  }

  /** Looks while the transport is away. */
  lookAway(): void {
    this.#sender.transport.isConnected = false;
    this.partitionDetector.look(this.nowMs);
    this.nowMs += 300;
    this.partitionDetector.look(this.nowMs);
    this.#sender.transport.isConnected = true;
  }

  /** Lets time pass, until a condition holds if one is given. */
  pass(ms: number, until: () => boolean = () => false): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs && !until(); this.nowMs += STEP_MS) {
      this.#slots.forEach(({ phaseMs, beginsAtMs }, slot) => {
        if (this.#cutOff.has(slot) || beginsAtMs > this.nowMs) return;
        // A process says hello at its start.
        const isFirst = this.nowMs - beginsAtMs < STEP_MS;
        if (isFirst || isDue(this.nowMs, phaseMs)) this.say(slot);
      });
      if (!isDue(this.nowMs, 0)) continue;
      this.members.detectFailures(this.nowMs, FORGOTTEN_MS);
      this.partitionDetector.look(this.nowMs);
    }
  }
}

function isDue(nowMs: number, phaseMs: number): boolean {
  return (
    Math.floor((nowMs - phaseMs) / HEARTBEAT_MS) !==
    Math.floor((nowMs - STEP_MS - phaseMs) / HEARTBEAT_MS)
  );
}
