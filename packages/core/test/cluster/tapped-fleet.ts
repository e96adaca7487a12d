/**
 * A simulated fleet on a network where an attacker overhears all frames, and can send any bytes.
 */

import { SimulatedFleet, type SimulatedProcess, type VirtualNetwork } from "@tidegate/simulator";
import type { Cluster } from "../../src/cluster/cluster.ts";
import type { SteppedReplica } from "../../src/cluster/stepped-cluster.ts";
import { createLimiter, type Limiter } from "../../src/limiter/limiter.ts";
import type { LimiterOptions } from "../../src/limiter/limiter-options.ts";
import type { Replica } from "../../src/protocol/replica.ts";
import type { FrameKind } from "../../src/wire/frame.ts";
import { HUNDRED_A_MINUTE, kindOf, type Overheard } from "./tapped-cluster.ts";

export interface TappedProcess {
  readonly process: SimulatedProcess;
  readonly cluster: Cluster;
  readonly limiter: Limiter;
  readonly replica: Replica;
}

export class TappedFleet {
  readonly overheard: Overheard[] = [];
  readonly #fleet = new SimulatedFleet(1);
  readonly #secret: string | undefined;
  readonly #voice = { address: "f".repeat(12), receive: () => {} };

  constructor({ secret }: { readonly secret?: string | undefined } = {}) {
    this.#secret = secret;
    this.network.taps.add(({ address: from }, frame) => {
      if (from !== this.#voice.address) this.overheard.push({ from, frame: frame.slice() });
      return true;
    });
  }

  get network(): VirtualNetwork {
    return this.#fleet.network;
  }

  get nowMs(): number {
    return this.#fleet.time.nowMs;
  }

  add(options: Partial<LimiterOptions> = {}): TappedProcess {
    const process = this.#fleet.add({ secret: this.#secret, onCold: "open" });
    const { cluster } = process;
    const limiter = createLimiter({ name: "api", policy: HUNDRED_A_MINUTE, cluster, ...options });
    process.open();
    return { process, cluster, limiter, replica: (process.stepped as SteppedReplica).replica };
  }

  crash({ process }: TappedProcess): void {
    this.#fleet.crash(process);
  }

  /** Loses all frames between two processes. */
  separate(one: TappedProcess, other: TappedProcess): void {
    this.network.cut(one.process, other.process);
    this.network.cut(other.process, one.process);
  }

  pass(ms: number): void {
    this.#fleet.pass(ms);
  }

  /** Sends bytes to all, from an address that is no replica's. */
  say(frame: Uint8Array): void {
    this.network.carry(this.#voice, frame, undefined);
  }

  /** Replays overheard frames, of one sender or of all, and waits until they are received. */
  replay(overheard: readonly Overheard[] = Array.from(this.overheard)): void {
    for (const { frame } of overheard) this.say(frame);
    this.pass(50);
  }

  of({ process }: TappedProcess): Overheard[] {
    return this.overheard.filter(({ from }) => from === process.address);
  }

  /**
   * Loses all frames of a kind that a process sends or relays, until the returned function is
   * called.
   */
  lose(kind: FrameKind, { process }: TappedProcess): () => void {
    const tap = (from: { readonly address: string }, frame: Uint8Array): boolean =>
      from !== process || kindOf(frame) !== kind;
    this.network.taps.add(tap);
    return () => {
      this.network.taps.delete(tap);
    };
  }
}
