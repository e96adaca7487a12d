/**
 * The network of a simulation: it loses, repeats, delays and reorders frames, and is cut.
 *
 * Each receiver gets a copy of its own. A cut has a direction, and need not be transitive.
 */

import { createHash } from "node:crypto";
import type { VirtualTime } from "./virtual-time.ts";

/** One end of the network. */
export interface NetworkEnd {
  readonly address: string;
  receive(frame: Uint8Array): void;
}

export interface NetworkFaults {
  /** The part of frames that is lost, per receiver. */
  readonly loss?: number;
  /** The part that arrives twice, the second time up to `lateMs` later. */
  readonly duplicate?: number;
  /** @default 3_000 */
  readonly lateMs?: number;
  /** How long a frame travels. By default from `delayMs` to half as long again. */
  readonly latency?: (random: () => number) => number;
  /** @default 0 */
  readonly delayMs?: number;
}

export class VirtualNetwork {
  /** Frames that were delivered, and lost. */
  delivered = 0;
  lost = 0;
  /** Sees each frame that is sent, and says whether the network carries it. */
  readonly taps: Set<(from: NetworkEnd, frame: Uint8Array) => boolean> = new Set();
  readonly #time: VirtualTime;
  readonly #random: () => number;
  #faults: NetworkFaults;
  readonly #ends = new Set<NetworkEnd>();
  readonly #cuts = new Map<NetworkEnd, Set<NetworkEnd>>();
  readonly #tape = createHash("sha256");

  constructor(time: VirtualTime, random: () => number, faults: NetworkFaults = {}) {
    this.#time = time;
    this.#random = random;
    this.#faults = faults;
  }

  /** Changes the faults from now on; frames on their way arrive as they would have. */
  change(faults: NetworkFaults): void {
    this.#faults = faults;
  }

  join(end: NetworkEnd): void {
    this.#ends.add(end);
  }

  leave(end: NetworkEnd): void {
    this.#ends.delete(end);
    this.#cuts.delete(end);
    for (const cuts of this.#cuts.values()) cuts.delete(end);
  }

  /** Loses all frames from `from` to `to` from now on; the other direction is not touched. */
  cut(from: NetworkEnd, to: NetworkEnd): void {
    const cuts = this.#cuts.get(from) ?? new Set();
    cuts.add(to);
    this.#cuts.set(from, cuts);
  }

  /** Loses all frames between an end and all others, in both directions. */
  isolate(end: NetworkEnd): void {
    for (const other of this.#ends) {
      this.cut(end, other);
      this.cut(other, end);
    }
  }

  /** Ends all cuts. */
  heal(): void {
    this.#cuts.clear();
  }

  /** Carries a frame to the end at an address, or to all others. */
  carry(from: NetworkEnd, frame: Uint8Array, to: string | undefined): void {
    this.#tape.update(from.address).update(frame);
    for (const tap of this.taps) if (!tap(from, frame)) return;
    const { loss = 0, duplicate = 0, lateMs = 3_000, delayMs = 0 } = this.#faults;
    const { latency = (random) => delayMs * (1 + random() / 2) } = this.#faults;
    for (const end of this.#ends) {
      if (end === from || (to !== undefined && end.address !== to)) continue;
      if (this.#cuts.get(from)?.has(end) === true || this.#random() < loss) {
        this.lost++;
        continue;
      }
      this.#deliver(end, frame, latency(this.#random));
      if (this.#random() < duplicate) {
        this.#deliver(end, frame, latency(this.#random) + this.#random() * lateMs);
      }
    }
  }

  /** A digest of all frames that were ever sent: two runs of one seed have the same. */
  digest(): string {
    return this.#tape.copy().digest("hex");
  }

  #deliver(end: NetworkEnd, frame: Uint8Array, afterMs: number): void {
    const copy = frame.slice();
    this.#time.after(afterMs, () => {
      if (!this.#ends.has(end)) return;
      this.delivered++;
      end.receive(copy);
    });
  }
}
