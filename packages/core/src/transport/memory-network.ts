/**
 * A network inside one process, with faults on request: for tests, ours and those of users.
 *
 * With a seed it loses, repeats and delays the same frames every time. Each receiver gets its own
 * copy of a frame, so no receiver can change what another one receives.
 */

import { knownOptions, part, wholeNumber } from "../base/options.ts";
import { FRAME_BYTES_MAX, type Transport, type TransportContext } from "./transport.ts";

export interface MemoryNetworkOptions {
  /**
   * The part of frames that is lost, per receiver.
   *
   * @default 0
   */
  readonly loss?: number | undefined;
  /**
   * The part of frames that arrives twice, the second time up to three seconds late.
   *
   * @default 0
   */
  readonly duplicate?: number | undefined;
  /**
   * How long frames travel at least; each takes up to half as long again.
   *
   * @default 0
   */
  readonly delayMs?: number | undefined;
  /**
   * The seed of its random numbers.
   *
   * @default 1
   */
  readonly seed?: number | undefined;
}

const DELAY_MS_MAX = 60_000;
const LATE_MS = 3_000;

export interface MemoryNetwork {
  /** A transport for one replica. */
  transport(): Transport;
  /** Changes the faults from now on; frames on their way arrive as they would have. */
  change(options: Omit<MemoryNetworkOptions, "seed">): void;
  /** Loses all frames from `from` to `to` from now on; the other direction is not touched. */
  cut(from: Transport, to: Transport): void;
  /** Ends all cuts. */
  heal(): void;
}

class Network implements MemoryNetwork {
  #loss = 0;
  #duplicate = 0;
  #delayMs = 0;
  readonly #ends = new Set<MemoryEnd>();
  readonly #cuts = new Map<Transport, Set<Transport>>();
  #state: number;

  constructor(options: MemoryNetworkOptions = {}) {
    const { seed = 1 } = options;
    knownOptions("memoryNetwork", options, ["loss", "duplicate", "delayMs", "seed"]);
    this.#state = wholeNumber("seed", seed, 0, 2 ** 32 - 1);
    this.change(options);
  }

  change(options: Omit<MemoryNetworkOptions, "seed">): void {
    const { loss = 0, duplicate = 0, delayMs = 0 } = options;
    this.#loss = part("loss", loss);
    this.#duplicate = part("duplicate", duplicate);
    this.#delayMs = wholeNumber("delayMs", delayMs, 0, DELAY_MS_MAX);
  }

  transport(): Transport {
    return new MemoryEnd(this);
  }

  cut(from: Transport, to: Transport): void {
    const cuts = this.#cuts.get(from) ?? new Set();
    cuts.add(to);
    this.#cuts.set(from, cuts);
  }

  heal(): void {
    this.#cuts.clear();
  }

  add(end: MemoryEnd): void {
    this.#ends.add(end);
  }

  remove(end: MemoryEnd): void {
    this.#ends.delete(end);
    this.#cuts.delete(end);
    for (const cuts of this.#cuts.values()) cuts.delete(end);
  }

  carry(from: MemoryEnd, frame: Uint8Array, to: string | undefined): void {
    for (const end of this.#ends) {
      if (end.namespace !== from.namespace || (to !== undefined && end.replica !== to)) continue;
      if (this.#cuts.get(from)?.has(end) === true || this.#draw() < this.#loss) continue;
      this.#deliver(end, Uint8Array.from(frame), this.#delayMs * (1 + this.#draw() / 2));
      if (this.#draw() < this.#duplicate) {
        this.#deliver(end, Uint8Array.from(frame), this.#delayMs + this.#draw() * LATE_MS);
      }
    }
  }

  #deliver(end: MemoryEnd, frame: Uint8Array, afterMs: number): void {
    setTimeout(() => end.deliver(frame), Math.floor(afterMs)).unref?.();
  }

  /** A number from 0 to 1: a mixed counter. */
  #draw(): number {
    this.#state = (this.#state + 0x9e37_79b9) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 16), 0x85eb_ca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
  }
}

/**
 * A network for several clusters inside one process.
 *
 * @example
 * const network = memoryNetwork({ loss: 0.1 });
 * const cluster = joinCluster({ transport: network.transport() });
 */
export function memoryNetwork(options?: MemoryNetworkOptions): MemoryNetwork {
  return new Network(options);
}

class MemoryEnd implements Transport {
  namespace = "";
  replica = "";
  readonly #network: Network;
  #receive: ((frame: Uint8Array) => void) | undefined;

  constructor(network: Network) {
    this.#network = network;
  }

  get connected(): boolean {
    return this.#receive !== undefined;
  }

  open(receive: (frame: Uint8Array) => void, { namespace, replica }: TransportContext): void {
    this.namespace = namespace;
    this.replica = replica;
    this.#receive = receive;
    this.#network.add(this);
  }

  publish(frame: Uint8Array, to?: string): boolean {
    if (this.#receive === undefined || frame.length > FRAME_BYTES_MAX) return false;
    this.#network.carry(this, frame, to);
    return true;
  }

  close(): void {
    this.#receive = undefined;
    this.#network.remove(this);
  }

  deliver(frame: Uint8Array): void {
    try {
      this.#receive?.(frame);
    } catch {
      // A receiver that throws loses this frame and receives the next one.
    }
  }
}
