/**
 * Holds many live keys, and sends all of them to joining replicas.
 */

import { createLimiter, fixedWindow, HOUR } from "@tidegate/core";
import { type LongestTurn, LoopTurns } from "../loop-turns.ts";
import { openReplica, pause } from "../replica.ts";
import type { Stage } from "../role.ts";

export interface HolderParameters {
  readonly url: string;
  readonly namespace: string;
  readonly keys: number;
}

export interface HolderResult {
  readonly longest: LongestTurn;
  readonly bytes: number;
}

const AT_ONCE = 1_000;
const SETTLING_MS = 3_000;
export const JOINED_LIMITER = "joining";
export const JOINED_POLICY: ReturnType<typeof fixedWindow> = fixedWindow({
  limit: 1_000,
  windowMs: HOUR,
});

export async function holdKeys(
  { url, namespace, keys }: HolderParameters,
  stage: Stage,
): Promise<HolderResult> {
  const { cluster, connection } = await openReplica({ url, namespace, readyTimeoutMs: 0 });
  const limiter = createLimiter({
    ...{ name: JOINED_LIMITER, policy: JOINED_POLICY, cluster, maxKeys: 2 * keys },
  });
  await cluster.ready;
  for (let key = 0; key < keys; key++) {
    limiter.check(`key ${key}`);
    if (key % AT_ONCE === 0) await pause(1);
  }
  await pause(SETTLING_MS);
  await stage.ready();

  const before = cluster.status().frames.sentBytes;
  const turns = new LoopTurns();
  await stage.over();
  const longest = turns.take();
  turns.stop();
  const bytes = cluster.status().frames.sentBytes - before;
  await cluster.leave();
  await connection.close();
  return { longest, bytes };
}
