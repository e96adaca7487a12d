/**
 * A fleet of simulated processes on one network, in one virtual time, from one seed.
 */

import { randomStreams } from "./seeded-random.ts";
import { type ProcessOptions, SimulatedProcess } from "./simulated-process.ts";
import { type NetworkFaults, VirtualNetwork } from "./virtual-network.ts";
import { VirtualTime } from "./virtual-time.ts";

export class SimulatedFleet {
  readonly time: VirtualTime = new VirtualTime();
  readonly network: VirtualNetwork;
  readonly streams: (purpose: string) => () => number;
  /** Those that have not ended. */
  processes: SimulatedProcess[] = [];
  readonly #ids: () => number;
  #added = 0;

  constructor(seed: number, faults: NetworkFaults = {}) {
    this.streams = randomStreams(seed);
    this.network = new VirtualNetwork(this.time, this.streams("network"), faults);
    this.#ids = this.streams("ids");
  }

  /** Adds a process, which is not open yet: its limiters can be made before it receives. */
  add(options: Partial<ProcessOptions> = {}): SimulatedProcess {
    const digit = (): string => Math.floor(this.#ids() * 16).toString(16);
    const id = options.id ?? Array.from({ length: 16 }, digit).join("");
    const random = this.streams(`process ${this.#added++}`);
    const world = { time: this.time, network: this.network, random };
    const process = new SimulatedProcess(world, { ...options, id });
    this.processes.push(process);
    return process;
  }

  /** A process ends without a word. */
  crash(process: SimulatedProcess): void {
    process.crash();
    this.processes = this.processes.filter((other) => other !== process);
  }

  pass(ms: number): void {
    this.time.pass(ms);
  }
}
