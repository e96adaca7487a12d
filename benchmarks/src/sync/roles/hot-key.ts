/**
 * Asks for hits of one hot key after the other, of tidegate and of the fixed tick alike: each hit goes
 * to both.
 */

import { createLimiter, fixedWindow, HOUR } from "@tidegate/core";
import { forEachArrival } from "../arrivals.ts";
import { FixedTick } from "../fixed-tick.ts";
import { openReplica, pause, untilComplete } from "../replica.ts";
import type { Stage } from "../role.ts";

export interface HotKeyParameters {
  readonly url: string;
  readonly namespace: string;
  readonly index: number;
  readonly processes: number;
  readonly tickMs: number;
  readonly limit: number;
  /** How often each key is asked for, by this process. */
  readonly perSecond: number;
  readonly seconds: number;
  readonly rounds: number;
}

/** What one of the two came to. */
export interface Telling {
  /** Hits allowed, by round. */
  readonly allowed: readonly number[];
  readonly frames: number;
}

export interface HotKeyResult {
  readonly tidegate: Telling;
  readonly fixedTick: Telling;
}

export async function hitHotKey(
  { url, namespace, index, processes, ...rest }: HotKeyParameters,
  stage: Stage,
): Promise<HotKeyResult> {
  const { tickMs, limit, perSecond, seconds, rounds } = rest;
  const { cluster, connection } = await openReplica({ url, namespace });
  const policy = fixedWindow({ limit, windowMs: HOUR });
  const limiter = createLimiter({ name: "hot key", policy, cluster });
  const subject = `${namespace}.tick`;
  const tick = new FixedTick({ connection, subject, index, tickMs, limit });
  await untilComplete(cluster, processes - 1);
  await stage.ready();

  const allowed = { tidegate: new Array<number>(rounds), fixedTick: new Array<number>(rounds) };
  const framesBefore = cluster.status().frames.sent;
  for (let round = 0; round < rounds; round++) {
    allowed.tidegate[round] = 0;
    allowed.fixedTick[round] = 0;
    await forEachArrival({ perSecond, seconds, seed: 1_000 * round + index + 1 }, () => {
      if (limiter.check(`key ${round}`).allowed) allowed.tidegate[round]!++;
      if (tick.check(round)) allowed.fixedTick[round]!++;
    });
    await pause(300);
  }
  const frames = cluster.status().frames.sent - framesBefore;
  tick.close();
  await cluster.leave();
  await connection.close();
  return {
    tidegate: { allowed: allowed.tidegate, frames },
    fixedTick: { allowed: allowed.fixedTick, frames: tick.frames },
  };
}
