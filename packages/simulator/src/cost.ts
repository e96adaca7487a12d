/**
 * What replication costs each replica: frames, bytes and processor time, for a load on many keys.
 *
 * Processor time is real, and everything else is virtual. It includes the simulation around the
 * replicas, so it is more than a process needs.
 */

import { createLimiter, fixedWindow, type Limiter } from "@tidegate/core";
import type { Latency } from "./accuracy.ts";
import { arrivalsOf } from "./load/arrivals.ts";
import { keysOf } from "./load/keys.ts";
import { SimulatedFleet } from "./simulated-fleet.ts";

const READY_MS = 5_000;
const WARM_UP_MS = 1_000;

export interface CostOptions {
  readonly seed: number;
  readonly replicas: number;
  /** Hits that each replica gets, by Zipf's law from so many keys. */
  readonly ratePerSecond: number;
  readonly keys: number;
  readonly limit: number;
  readonly windowMs: number;
  /** @default 50 */
  readonly flushMs?: number;
  readonly latency?: Latency;
  readonly loss?: number;
  /** How long the load is measured. @default 5_000 */
  readonly measuredMs?: number;
  /** The processor time that this program has used. */
  readonly cpuMs: () => number;
  readonly onProgress?: (part: number) => void;
}

/** All of one replica, per second. */
export interface CostResult {
  readonly framesSent: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly cpuMs: number;
}

export function measureCost(options: CostOptions): CostResult {
  const { seed, replicas, loss = 0, latency = { ms: 0 }, flushMs = 50 } = options;
  const { measuredMs = 5_000, limit, windowMs, cpuMs, onProgress } = options;
  const { ms, jitterMs = 0 } = latency;
  const fleet = new SimulatedFleet(seed, { loss, latency: (random) => ms + jitterMs * random() });
  const policy = fixedWindow({ limit, windowMs });
  const limiters = Array.from({ length: replicas }, (): Limiter => {
    const process = fleet.add({ flushMs });
    const limiter = createLimiter({ name: "loaded", policy, cluster: process.cluster });
    process.open();
    fleet.pass(1);
    return limiter;
  });
  fleet.pass(READY_MS);
  const offer = offering(options, fleet, limiters);
  offer(WARM_UP_MS);
  const before = { ...sentBy(fleet), cpuMs: cpuMs() };
  for (let slice = 1; slice <= 10; slice++) {
    offer(measuredMs / 10);
    onProgress?.(slice / 10);
  }
  const after = { ...sentBy(fleet), cpuMs: cpuMs() };
  for (const limiter of limiters) limiter.close();
  const perSecond = (name: keyof typeof after): number =>
    ((after[name] - before[name]) / measuredMs / replicas) * 1_000;
  return {
    framesSent: perSecond("frames"),
    bytesSent: perSecond("bytes"),
    bytesReceived: perSecond("bytes") * (replicas - 1) * (1 - loss),
    cpuMs: perSecond("cpuMs"),
  };
}

/** Offers the load for some time, and goes on where it stopped. */
function offering(
  { replicas, ratePerSecond, keys, windowMs }: CostOptions,
  fleet: SimulatedFleet,
  limiters: readonly Limiter[],
): (ms: number) => void {
  const { time, streams, processes } = fleet;
  const perMs = (replicas * ratePerSecond) / 1_000;
  const next = arrivalsOf("poisson", { perMs, windowMs, random: streams("arrivals") });
  const key = keysOf({ count: keys }, streams("keys"));
  const place = streams("balancing");
  let nextMs = next(time.nowMs, 0);
  return (ms) => {
    const untilMs = time.nowMs + ms;
    for (; nextMs < untilMs; nextMs = next(nextMs, 0)) {
      time.pass(nextMs - time.nowMs);
      const replica = Math.floor(place() * replicas);
      processes[replica]!.run(() => limiters[replica]!.check(key()!));
    }
    time.pass(untilMs - time.nowMs);
  };
}

function sentBy({ processes }: SimulatedFleet): { frames: number; bytes: number } {
  const sum = { frames: 0, bytes: 0 };
  for (const { frames, bytes } of processes) {
    sum.frames += frames;
    sum.bytes += bytes;
  }
  return sum;
}
