/**
 * Hits each of many keys once a second, first with a limiter of its own, then with one of a cluster:
 * what the second takes more of the processor is what agreement costs.
 */

import { cpuUsage } from "node:process";
import { createLimiter, fixedWindow, HOUR, type Limiter } from "@tidegate/core";
import { openReplica, pause, untilComplete } from "../replica.ts";
import type { Stage } from "../role.ts";

export interface SteadyParameters {
  readonly url: string;
  readonly namespace: string;
  readonly index: number;
  readonly processes: number;
  readonly keys: number;
  readonly seconds: number;
}

export interface SteadyResult {
  /** The part of one processor that was used, alone and in the cluster. */
  readonly alone: number;
  readonly together: number;
  /** Hits of all processes that one key has in the end, and how many there were. */
  readonly used: number;
  readonly expected: number;
}

const STEP_MS = 10;
const LIMIT = 1_000_000_000;
const SETTLING_MS = 1_000;
const WARM_ROUNDS = 2;
/** All keys have been seen when it begins, by one process after the other: openings are another matter. */
const TURN_MS = 1_500;
const SETTLED_MS_MAX = 20_000;
/** A replica requests what it missed, and a replica that has left cannot reply. */
const LINGER_MS = 4_000;

export async function hitSteadily(
  { url, namespace, index, processes, keys, seconds }: SteadyParameters,
  stage: Stage,
): Promise<SteadyResult> {
  const policy = fixedWindow({ limit: LIMIT, windowMs: HOUR });
  const local = createLimiter({ name: "alone", policy, maxKeys: 2 * keys });
  const { cluster, connection } = await openReplica({ url, namespace });
  const shared = createLimiter({ name: "together", policy, cluster, maxKeys: 2 * keys });
  await untilComplete(cluster, processes - 1);
  // Compiled code and open windows for both.
  await pause(index * TURN_MS);
  await hitAll(local, keys, WARM_ROUNDS, index);
  await hitAll(shared, keys, WARM_ROUNDS, index);
  await pause(SETTLING_MS);
  await stage.ready();

  // The cluster's own idle part, its heartbeats above all, goes on in the first measurement too.
  const alone = await useDuring(() => hitAll(local, keys, seconds, index));
  const together = await useDuring(() => hitAll(shared, keys, seconds, index));
  // All replicas receive all hits before one leaves.
  const expected = processes * (WARM_ROUNDS + seconds);
  const settledMs = performance.now() + SETTLED_MS_MAX;
  const used = (): number => shared.peek("key 7").used;
  while (used() < expected && performance.now() < settledMs) await pause(50);
  const found = used();
  await pause(LINGER_MS);
  await cluster.leave();
  await connection.close();
  return { alone, together, used: found, expected };
}

/** Hits every key once a second, evenly spread over it. */
async function hitAll(
  limiter: Limiter,
  keys: number,
  seconds: number,
  index: number,
): Promise<void> {
  const startMs = performance.now();
  const total = keys * seconds;
  // Not all processes come to the same key at once.
  const first = Math.floor((index * keys) / 10);
  for (let made = 0; made < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - startMs) / 1_000) * keys));
    for (; made < due; made++) limiter.check(`key ${(first + made) % keys}`);
    await pause(STEP_MS);
  }
}

async function useDuring(work: () => Promise<void>): Promise<number> {
  const before = cpuUsage();
  const startMs = performance.now();
  await work();
  const { user, system } = cpuUsage(before);
  return (user + system) / 1_000 / (performance.now() - startMs);
}
