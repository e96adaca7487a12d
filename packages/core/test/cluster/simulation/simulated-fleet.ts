/**
 * Limiters of several replicas on one network inside this process, on fake time, from one seed.
 */

import { ReplicaDriver } from "../../../src/driver/replica-driver.ts";
import { resolveLimiterOptions } from "../../../src/limiter/limiter-options.ts";
import { StoreLimiter } from "../../../src/limiter/store-limiter.ts";
import type { Policy } from "../../../src/policies/policy.ts";
import type { SeparatedMode } from "../../../src/protocol/membership/partition-detector.ts";
import type { Replica } from "../../../src/protocol/replica.ts";
import {
  type MemoryNetwork,
  type MemoryNetworkOptions,
  memoryNetwork,
} from "../../../src/transport/memory-network.ts";
import type { Transport } from "../../../src/transport/transport.ts";
import { passTime } from "./held-time.ts";
import { type ClockFaults, SimulatedClock } from "./simulated-clock.ts";

/** A number from 0 to 1, the same ones for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e37_79b9) | 0;
    let bits = Math.imul(state ^ (state >>> 16), 0x85eb_ca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  };
}

export interface FleetOptions extends MemoryNetworkOptions {
  readonly policies: readonly Policy[];
  readonly maxKeys?: number;
  readonly secret?: string;
  readonly onPartition?: SeparatedMode;
  /** Lets time pass; `passTime` when absent. */
  readonly pass?: (ms: number) => void;
  /**
   * Called before each slice of a frame that a replica reads, and may let time pass: reading has a
   * price then.
   */
  readonly reading?: (frame: Uint8Array) => void;
}

export class SimulatedReplica {
  readonly transport: Transport;
  /** Whether its transport makes frames wait. */
  isBusy = false;
  #changed: (() => void) | undefined;
  readonly clock: SimulatedClock;
  readonly driver: ReplicaDriver;
  readonly replica: Replica;
  limiter: StoreLimiter;
  readonly troubles: string[] = [];
  readonly #makeLimiter: () => StoreLimiter;

  /**
   * @param faults how its clock goes
   * @param id what it is known by; a new one when absent
   */
  constructor(
    network: MemoryNetwork,
    options: FleetOptions,
    random: () => number,
    faults: ClockFaults,
    id?: string,
  ) {
    this.transport = this.#busied(network.transport());
    const digit = (): string => Math.floor(random() * 16).toString(16);
    const clock = new SimulatedClock(faults);
    this.clock = clock;
    this.driver = new ReplicaDriver({
      transport: this.transport,
      namespace: "simulated",
      secret: options.secret,
      clock,
      id: id ?? Array.from({ length: 16 }, digit).join(""),
      random,
      readyTimeoutMs: 3_000,
      flushMs: 50,
      onCold: "open",
      report: (trouble) => this.troubles.push(trouble),
    });
    this.replica = this.driver.replica;
    const { policies, maxKeys } = options;
    this.#makeLimiter = () =>
      new StoreLimiter({
        ...resolveLimiterOptions({ name: "api", policies, clock, maxKeys }),
        host: this.driver,
        onPartition: options.onPartition ?? "open",
      });
    this.limiter = this.#makeLimiter();
    if (options.reading !== undefined) this.#price(options.reading);
    this.driver.open();
  }

  /** Its transport is busy from now on, or not any more. */
  setBusy(isBusy: boolean): void {
    if (isBusy === this.isBusy) return;
    this.isBusy = isBusy;
    this.#changed?.();
  }

  #busied(transport: Transport): Transport {
    const open = transport.open.bind(transport);
    transport.open = (receive, context) => {
      this.#changed = context.changed;
      open(receive, context);
    };
    return Object.defineProperty(transport, "busy", { get: () => this.isBusy });
  }

  #price(reading: (frame: Uint8Array) => void): void {
    const { receiver } = this.replica;
    const receive = receiver.receive.bind(receiver);
    receiver.receive = function* priced(frame, ...rest) {
      const slices = receive(frame, ...rest);
      for (;;) {
        reading(frame);
        const slice = slices.next();
        if (slice.done === true) return slice.value;
        yield;
      }
    };
  }

  /** Closes its limiter and creates it again, at once or when some time has passed. */
  remake(pass: () => void): void {
    this.limiter.close();
    pass();
    this.limiter = this.#makeLimiter();
  }

  /** Hits that count for a key, as this replica sees it, by policy. */
  view(key: string): number[] {
    return this.limiter.inspect(key).results.map(({ used }) => used);
  }

  /** Crashes. */
  crash(): void {
    void this.transport.close();
    this.close();
  }

  /**
   * Leaves. While its transport is busy it would wait for that, also after the time of the test has
   * ended.
   */
  close(): void {
    this.isBusy = false;
    void this.driver.leave();
  }
}

export class SimulatedFleet {
  readonly network: MemoryNetwork;
  readonly random: () => number;
  replicas: SimulatedReplica[] = [];
  readonly #options: FleetOptions;

  constructor(options: FleetOptions) {
    const { seed = 1, loss, duplicate, delayMs } = options;
    this.#options = options;
    this.network = memoryNetwork({ seed, loss, duplicate, delayMs });
    this.random = randomFrom(seed);
  }

  add(aheadMs = 0, id?: string, drift = 0): SimulatedReplica {
    const faults = { aheadMs, drift };
    const replica = new SimulatedReplica(this.network, this.#options, this.random, faults, id);
    this.replicas.push(replica);
    return replica;
  }

  /**
   * For a while some replicas receive nothing and send nothing, and their clocks are behind by that
   * from then on.
   */
  suspend(suspended: readonly SimulatedReplica[], ms: number): void {
    for (const { transport, clock } of suspended) {
      for (const other of this.replicas) {
        this.network.cut(transport, other.transport);
        this.network.cut(other.transport, transport);
      }
      clock.stop();
    }
    this.pass(ms);
    for (const { clock } of suspended) clock.goOn();
    this.network.heal();
  }

  pass(ms: number): void {
    const { pass = passTime } = this.#options;
    pass(ms);
  }

  close(): void {
    for (const replica of this.replicas) replica.close();
  }
}
