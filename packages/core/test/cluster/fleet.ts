/**
 * Limiters of several replicas in a simulated fleet, for tests that look into the replicas. Time
 * passes when a test says so, and no global is replaced.
 */

import {
  type ClockFaults,
  SimulatedFleet,
  type SimulatedProcess,
  START_WALL_MS,
  type VirtualClock,
  type VirtualNetwork,
} from "@tidegate/simulator";
import type { ClusterStatus } from "../../src/cluster/cluster-status.ts";
import type { SteppedReplica } from "../../src/cluster/stepped-cluster.ts";
import { createLimiter, type Limiter } from "../../src/limiter/limiter.ts";
import type { Policy } from "../../src/policies/policy.ts";
import type { SeparatedMode } from "../../src/protocol/membership/partition-detector.ts";
import type { Replica } from "../../src/protocol/replica.ts";

/** Frames that have arrived are taken before work goes on, as in a process. */
const TURNS_A_SLICE = 8;

export interface FleetOptions {
  readonly policies: readonly Policy[];
  readonly maxKeys?: number;
  readonly secret?: string;
  readonly onPartition?: SeparatedMode;
  /** How long a frame travels. */
  readonly delayMs?: number;
  /** What a slice of work takes: at most one is done in a turn then, and in most turns none. */
  readonly sliceMs?: number;
}

export class FleetReplica {
  readonly process: SimulatedProcess;
  readonly replica: Replica;
  readonly limiter: Limiter;

  constructor(
    process: SimulatedProcess,
    { policies, maxKeys, onPartition = "open" }: FleetOptions,
  ) {
    this.process = process;
    this.replica = (process.stepped as SteppedReplica).replica;
    const { cluster } = process;
    this.limiter = createLimiter({ name: "api", policies, cluster, maxKeys, onPartition });
    process.open();
  }

  get clock(): VirtualClock {
    return this.process.clock;
  }

  get troubles(): readonly string[] {
    return this.process.troubles;
  }

  status(): ClusterStatus {
    return this.process.cluster.status();
  }

  /** The cluster's time, as this replica knows it. */
  clusterNow(): number {
    return this.replica.clock.clusterNow((this.process.stepped as SteppedReplica).time.read());
  }

  /** Hits that count for a key, as this replica sees it, by policy. */
  view(key: string): number[] {
    return this.limiter.inspect(key).results.map(({ used }) => used);
  }
}

export class Fleet {
  readonly simulated: SimulatedFleet;
  replicas: FleetReplica[] = [];
  readonly #options: FleetOptions;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.simulated = new SimulatedFleet(1, { delayMs: options.delayMs ?? 0 });
  }

  get network(): VirtualNetwork {
    return this.simulated.network;
  }

  /** The true time of day. */
  get wallMs(): number {
    return START_WALL_MS + this.simulated.time.nowMs;
  }

  /** @param id what it is known by; a new one when absent */
  add(clock: ClockFaults = {}, id?: string): FleetReplica {
    const { secret, sliceMs } = this.#options;
    let turns = 0;
    const process = this.simulated.add({
      ...{ clock, secret, onCold: "open" },
      ...(id !== undefined && { id }),
      ...(sliceMs !== undefined && {
        sliceMs,
        slicesPerTurn: () => (turns++ % TURNS_A_SLICE === 0 ? 1 : 0),
      }),
    });
    const replica = new FleetReplica(process, this.#options);
    this.replicas.push(replica);
    return replica;
  }

  crash(replica: FleetReplica): void {
    this.simulated.crash(replica.process);
    this.replicas = this.replicas.filter((other) => other !== replica);
  }

  /** Loses all frames between two replicas. */
  separate(one: FleetReplica, other: FleetReplica): void {
    this.network.cut(one.process, other.process);
    this.network.cut(other.process, one.process);
  }

  /** For a while some machines sleep, and what is sent to them is lost. */
  suspend(suspended: readonly FleetReplica[], ms: number): void {
    for (const { process } of suspended) {
      this.network.isolate(process);
      process.suspend();
    }
    this.pass(ms);
    for (const { process } of suspended) process.resume();
    this.network.heal();
  }

  pass(ms: number): void {
    this.simulated.pass(ms);
  }
}
