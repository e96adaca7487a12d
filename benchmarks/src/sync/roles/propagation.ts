/**
 * Counts hits of a key of its own at moments of chance, and notes when it sees each hit of the others.
 *
 * Keys are past half of their limit and far from its end: hits are not urgent, and leave after the cap.
 */

import { createLimiter, fixedWindow, HOUR } from "@tidegate/core";
import { forEachArrival } from "../arrivals.ts";
import { machineNow, openReplica, pause, untilComplete } from "../replica.ts";
import type { Stage } from "../role.ts";

export interface PropagationParameters {
  readonly url: string;
  readonly namespace: string;
  readonly index: number;
  readonly processes: number;
  readonly capMs: number;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface PropagationResult {
  /** When each own hit was counted, by the clock of the machine. */
  readonly counted: Float64Array;
  /** When each hit of each process was seen; empty for this process itself. */
  readonly seen: readonly Float64Array[];
}

const LIMIT = 1_000_000_000;
const USED = 600_000_000;
/** Told and heard before, while code is compiled on cores that all share. */
const WARM_HITS = 100;
const WARM_EVERY_MS = 10;
const USED_WARM: number = USED + WARM_HITS;

export async function tellAndHear(
  { url, namespace, index, processes, capMs, perSecond, seconds }: PropagationParameters,
  stage: Stage,
): Promise<PropagationResult> {
  const hitsMax = Math.ceil(perSecond * seconds * 2 + 100);
  const counted = new Float64Array(hitsMax);
  const seen = Array.from({ length: processes }, () => new Float64Array(hitsMax));
  const known = new Array<number>(processes).fill(USED_WARM);
  const look = (): void => {
    const now = machineNow();
    for (let other = 0; other < processes; other++) {
      if (other === index) continue;
      const { used } = limiter.peek(keyOf(other));
      for (let hit = known[other]!; hit < used; hit++) seen[other]![hit - USED_WARM] = now;
      known[other] = Math.max(known[other]!, used);
    }
  };
  const { cluster, connection } = await openReplica({
    ...{ url, namespace, flushMs: capMs },
    heard: () => {
      if (isLooking) look();
    },
  });
  let isLooking = false;
  const policy = fixedWindow({ limit: LIMIT, windowMs: HOUR });
  const limiter = createLimiter({ name: "propagation", policy, cluster });
  await untilComplete(cluster, processes - 1);
  limiter.charge(keyOf(index), USED);
  const all = Array.from({ length: processes }, (_, other) => other);
  const allHave = async (used: number): Promise<void> => {
    while (all.some((other) => limiter.peek(keyOf(other)).used < used)) await pause(20);
  };
  await allHave(USED);
  for (let hit = 0; hit < WARM_HITS; hit++) {
    limiter.check(keyOf(index));
    await pause(WARM_EVERY_MS);
  }
  await allHave(USED_WARM);
  isLooking = true;
  await stage.ready();

  let hits = 0;
  await forEachArrival({ perSecond, seconds, seed: index + 1 }, (hit) => {
    if (hit >= hitsMax) return;
    counted[hit] = machineNow();
    limiter.check(keyOf(index));
    hits = hit + 1;
  });
  await pause(2 * capMs + 500);
  await cluster.leave();
  await connection.close();
  return { counted: counted.slice(0, hits), seen };
}

function keyOf(process: number): string {
  return `key of ${process}`;
}
