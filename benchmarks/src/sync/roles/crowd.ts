/**
 * Asks for hits of many keys by chance, of tidegate and of the fixed tick alike.
 */

import { createLimiter, fixedWindow, HOUR } from "@tidegate/core";
import { seededRandom } from "../../measure/random.ts";
import { forEachArrival } from "../arrivals.ts";
import { FixedTick } from "../fixed-tick.ts";
import { openReplica, pause, untilComplete } from "../replica.ts";
import type { Stage } from "../role.ts";

export interface CrowdParameters {
  readonly url: string;
  readonly namespace: string;
  readonly index: number;
  readonly processes: number;
  readonly tickMs: number;
  readonly keys: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** What was sent. */
export interface Sent {
  readonly frames: number;
  readonly bytes: number;
}

export interface CrowdResult {
  readonly tidegate: Sent;
  readonly fixedTick: Sent;
}

const LIMIT = 1_000_000_000;
const AT_ONCE = 1_000;
const SETTLING_MS = 2_000;

export async function hitManyKeys(
  { url, namespace, index, processes, ...rest }: CrowdParameters,
  stage: Stage,
): Promise<CrowdResult> {
  const { tickMs, keys, perSecond, seconds } = rest;
  const { cluster, connection } = await openReplica({ url, namespace });
  const policy = fixedWindow({ limit: LIMIT, windowMs: HOUR });
  const limiter = createLimiter({ name: "crowd", policy, cluster, maxKeys: 2 * keys });
  const subject = `${namespace}.tick`;
  const tick = new FixedTick({ connection, subject, index, tickMs, limit: LIMIT });
  await untilComplete(cluster, processes - 1);
  // All keys have been seen when it begins: openings are another matter.
  for (let key = 0; key < keys; key++) {
    limiter.check(`key ${key}`);
    if (key % AT_ONCE === 0) await pause(1);
  }
  // What was missed of that has been asked for and heard.
  do await pause(SETTLING_MS);
  while (cluster.status().peers.some(({ isBehind }) => isBehind));
  await stage.ready();

  const before = { ...cluster.status().frames };
  const random = seededRandom(index + 1);
  await forEachArrival({ perSecond, seconds, seed: index + 100 }, () => {
    const key = Math.floor(random() * keys);
    limiter.check(`key ${key}`);
    tick.check(key);
  });
  const { sent, sentBytes } = cluster.status().frames;
  tick.close();
  await cluster.leave();
  await connection.close();
  return {
    tidegate: { frames: sent - before.sent, bytes: sentBytes - before.sentBytes },
    fixedTick: { frames: tick.frames, bytes: tick.bytes },
  };
}
