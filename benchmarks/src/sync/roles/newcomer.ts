/**
 * Comes to a cluster that has counted for long, and says when it knows all that was counted.
 */

import { createLimiter } from "@tidegate/core";
import { type LongestTurn, LoopTurns } from "../loop-turns.ts";
import { openReplica, pause } from "../replica.ts";
import type { Stage } from "../role.ts";
import { JOINED_LIMITER, JOINED_POLICY } from "./holder.ts";

export interface NewcomerParameters {
  readonly url: string;
  readonly namespace: string;
  /** How many there are to be heard of. */
  readonly keys: number;
}

export interface NewcomerResult {
  /** How long it took until it was ready, and until it knew every key. */
  readonly readyMs: number;
  readonly completeMs: number;
  /** How many keys it knew when it was ready. */
  readonly keysWhenReady: number;
  /** The longest turn of its event loop meanwhile, and while nothing went on. */
  readonly longest: LongestTurn;
  readonly idle: LongestTurn;
}

const PATIENCE_MS = 30_000;
const IDLE_MS = 1_000;

export async function comeLate(
  { url, namespace, keys }: NewcomerParameters,
  stage: Stage,
): Promise<NewcomerResult> {
  await stage.ready();
  const turns = new LoopTurns();
  await pause(IDLE_MS);
  const idle = turns.take();

  const startMs = performance.now();
  const { cluster, connection } = await openReplica({ url, namespace });
  const limiter = createLimiter({
    ...{ name: JOINED_LIMITER, policy: JOINED_POLICY, cluster, maxKeys: 2 * keys },
  });
  const sinceStart = (): number => performance.now() - startMs;
  await cluster.ready;
  const readyMs = sinceStart();
  const keysWhenReady = limiter.status().keys;
  while (limiter.status().keys < keys && sinceStart() < PATIENCE_MS) await pause(5);
  const completeMs = limiter.status().keys < keys ? Number.POSITIVE_INFINITY : sinceStart();
  const longest = turns.take();
  turns.stop();
  if (limiter.peek("key 0").used !== 1) throw new Error("it has heard of keys, but not of hits");
  await cluster.leave();
  await connection.close();
  return { readyMs, completeMs, keysWhenReady, longest, idle };
}
