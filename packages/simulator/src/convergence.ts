/**
 * How long it takes until all replicas know of a hit.
 *
 * A key gets a part of its limit and everything settles. Then one replica allows one hit, and every
 * other one is asked whenever a frame has reached it. The nearer a key is to its limit, the sooner
 * its counts leave, so that part matters.
 */

import { createLimiter, fixedWindow, type Limiter } from "@tidegate/core";
import { type SteppedEvent, steppedCluster } from "@tidegate/core/simulation";
import type { Latency } from "./accuracy.ts";
import { SimulatedFleet } from "./simulated-fleet.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

const LIMIT = 1_000;
const WINDOW_MS = 3_600_000;
/** What a fleet takes to become ready, and what it takes to settle after a count. */
const READY_MS = 5_000;
const SETTLE_MS = 2_000;
/** A hit that is not known everywhere by then counts as never known. */
const GIVE_UP_MS = 60_000;
/** Hits come at random times within that. */
const SPREAD_MS = 1_000;
const NEVER = Number.POSITIVE_INFINITY;
/** At the same time, only one replica in so many gets a hit, so that hits do not share frames. */
const REPLICAS_PER_PROBE = 4;

export interface ConvergenceOptions {
  readonly seed: number;
  readonly replicas: number;
  /** The part of the limit that the key has used before. @default 0 */
  readonly used?: number;
  /** @default 50 */
  readonly flushMs?: number;
  readonly latency?: Latency;
  readonly loss?: number;
  /** How many hits are followed. @default 40 */
  readonly probes?: number;
  readonly onProgress?: (part: number) => void;
}

export interface ConvergenceResult {
  /** Of each hit, after how many milliseconds the last replica knew it; in ascending order. */
  readonly allMs: readonly number[];
  /** Of each hit and each replica, after how many milliseconds it knew; in ascending order. */
  readonly eachMs: readonly number[];
}

interface Probe {
  readonly key: string;
  readonly origin: number;
  readonly unaware: Set<number>;
  sentAtMs: number;
  /** What a replica has to know of; nothing is enough before the hit. */
  known: number;
}

export function measureConvergence(options: ConvergenceOptions): ConvergenceResult {
  return new ConvergenceRun(options).result();
}

class ConvergenceRun {
  readonly #options: ConvergenceOptions;
  readonly #fleet: SimulatedFleet;
  readonly #random: () => number;
  readonly #processes: SimulatedProcess[] = [];
  readonly #limiters: Limiter[] = [];
  /** The replicas that have received a frame since they were asked. */
  readonly #reached = new Set<number>();
  readonly #allMs: number[] = [];
  readonly #eachMs: number[] = [];

  constructor(options: ConvergenceOptions) {
    const { seed, replicas, loss = 0, latency = { ms: 0 }, flushMs = 50 } = options;
    const { ms, jitterMs = 0 } = latency;
    this.#options = options;
    this.#fleet = new SimulatedFleet(seed, {
      loss,
      latency: (random) => ms + jitterMs * random(),
    });
    this.#random = this.#fleet.streams("probes");
    const policy = fixedWindow({ limit: LIMIT, windowMs: WINDOW_MS });
    for (let index = 0; index < replicas; index++) {
      const process = this.#fleet.add({ flushMs, step: (given) => this.#watched(index, given) });
      this.#processes.push(process);
      this.#limiters.push(createLimiter({ name: "probed", policy, cluster: process.cluster }));
      process.open();
      this.#fleet.pass(1);
    }
    this.#fleet.pass(READY_MS);
  }

  result(): ConvergenceResult {
    const { probes = 40, replicas, onProgress } = this.#options;
    const atOnce = Math.max(1, Math.floor(replicas / REPLICAS_PER_PROBE));
    for (let done = 0; done < probes; ) {
      const count = Math.min(atOnce, probes - done);
      this.#follow(this.#prepared(done, count));
      done += count;
      onProgress?.(done / probes);
    }
    for (const limiter of this.#limiters) limiter.close();
    const ascending = (values: number[]): number[] => values.sort((one, other) => one - other);
    return { allMs: ascending(this.#allMs), eachMs: ascending(this.#eachMs) };
  }

  #watched(index: number, given: Parameters<typeof steppedCluster>[0]) {
    const stepped = steppedCluster(given);
    const step = stepped.step.bind(stepped);
    stepped.step = (event: SteppedEvent) => {
      if (event.type === "frame") this.#reached.add(index);
      step(event);
    };
    return stepped;
  }

  /** Keys that have used their part of the limit, each to be hit at a replica of its own. */
  #prepared(first: number, count: number): Probe[] {
    const { replicas, used = 0 } = this.#options;
    const origins = Array.from({ length: replicas }, (_, index) => index);
    const probes = Array.from({ length: count }, (_, index): Probe => {
      const at = Math.floor(this.#random() * origins.length);
      const [origin = 0] = origins.splice(at, 1);
      const unaware = new Set(this.#processes.keys());
      unaware.delete(origin);
      return { key: `probe ${first + index}`, origin, unaware, sentAtMs: 0, known: NEVER };
    });
    const before = Math.floor(LIMIT * used);
    for (const { key, origin } of probes) {
      if (before > 0) {
        this.#processes[origin]!.run(() => this.#limiters[origin]!.charge(key, before));
      }
    }
    this.#fleet.pass(before > 0 ? SETTLE_MS : 0);
    for (const probe of probes) {
      this.#fleet.time.after(this.#random() * SPREAD_MS, () => this.#hit(probe));
    }
    return probes;
  }

  #hit(probe: Probe): void {
    const limiter = this.#limiters[probe.origin]!;
    probe.known = limiter.peek(probe.key, 0).used + 1;
    probe.sentAtMs = this.#fleet.time.nowMs;
    this.#processes[probe.origin]!.run(() => limiter.check(probe.key));
  }

  #follow(probes: readonly Probe[]): void {
    const { time } = this.#fleet;
    const untilMs = time.nowMs + GIVE_UP_MS;
    let open = probes;
    this.#reached.clear();
    while (open.length > 0 && time.next(untilMs)) {
      if (this.#reached.size === 0) continue;
      for (const probe of open) this.#ask(probe);
      this.#reached.clear();
      if (open.some(({ unaware }) => unaware.size === 0)) {
        open = open.filter(({ unaware }) => unaware.size > 0);
      }
    }
    for (const { unaware } of open) {
      this.#allMs.push(NEVER);
      for (const _ of unaware) this.#eachMs.push(NEVER);
    }
  }

  #ask(probe: Probe): void {
    for (const index of this.#reached) {
      if (!probe.unaware.has(index)) continue;
      if (this.#limiters[index]!.peek(probe.key, 0).used < probe.known) continue;
      probe.unaware.delete(index);
      const afterMs = this.#fleet.time.nowMs - probe.sentAtMs;
      this.#eachMs.push(afterMs);
      if (probe.unaware.size === 0) this.#allMs.push(afterMs);
    }
  }
}
