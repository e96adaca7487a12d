/**
 * Counts more than can be merged for a while, and finds out how far behind it is on the others meanwhile,
 * how wrong it takes their clocks to be, and how soon it has merged all of them again.
 */

import { createLimiter, fixedWindow, HOUR, type Limiter } from "@tidegate/core";
import { openReplica, pause, untilComplete } from "../replica.ts";
import type { Stage } from "../role.ts";

export interface BurstParameters {
  readonly url: string;
  readonly namespace: string;
  readonly processes: number;
  readonly keys: number;
  /** Hits of this process, before and after the burst and during it. */
  readonly usualPerSecond: number;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface BurstResult {
  readonly mostLagMs: number;
  /** How far a clock of another was said to be off, which all are of this machine. */
  readonly clockErrorMs: number;
  /** Whether it said that it was overloaded. */
  readonly wasOverloaded: boolean;
  /** How long after the burst all was merged that the others had counted a moment ago. */
  readonly caughtUpMs: number;
}

const LIMIT = 1_000_000_000;
const STEP_MS = 10;
const LOOK_EVERY = 20;
const USUAL_SECONDS = 2;
/** What `lagMs` is below where all is well: heartbeats come once a second. */
const USUAL_LAG_MS = 1_500;
const AFTER_SECONDS_MAX = 60;
/** Others may still need an answer. */
const LINGER_MS = 4_000;

export async function outrun(
  { url, namespace, processes, keys, usualPerSecond, perSecond, seconds }: BurstParameters,
  stage: Stage,
): Promise<BurstResult> {
  const { cluster, connection } = await openReplica({ url, namespace });
  const policy = fixedWindow({ limit: LIMIT, windowMs: HOUR });
  const limiter = createLimiter({ name: "burst", policy, cluster, maxKeys: 2 * keys });
  await untilComplete(cluster, processes - 1);
  await stage.ready();

  let mostLagMs = 0;
  let clockErrorMs = 0;
  let wasOverloaded = false;
  const look = (): number => {
    const { lagMs, isOverloaded, clockOffsetMs, peers } = cluster.status();
    const aheadMs = peers.map(({ clockAheadMs }) => Math.abs(clockAheadMs));
    mostLagMs = Math.max(mostLagMs, lagMs);
    clockErrorMs = Math.max(clockErrorMs, Math.abs(clockOffsetMs), ...aheadMs);
    wasOverloaded ||= isOverloaded;
    return lagMs;
  };
  const hits = new Hits(limiter, keys);
  const during = (): boolean => look() >= 0;
  await hits.go(usualPerSecond, USUAL_SECONDS, during);
  await hits.go(perSecond, seconds, during);
  const overAtMs = performance.now();
  await hits.go(usualPerSecond, AFTER_SECONDS_MAX, () => look() > USUAL_LAG_MS);
  const caughtUpMs = performance.now() - overAtMs;
  await pause(LINGER_MS);
  await cluster.leave();
  await connection.close();
  return { mostLagMs, clockErrorMs, wasOverloaded, caughtUpMs };
}

class Hits {
  readonly #limiter: Limiter;
  readonly #keys: number;
  #made = 0;

  constructor(limiter: Limiter, keys: number) {
    this.#limiter = limiter;
    this.#keys = keys;
  }

  /** So many hits a second, for so long or until `goesOn`, which is asked now and then, says no. */
  async go(perSecond: number, seconds: number, goesOn: () => boolean): Promise<void> {
    const startMs = performance.now();
    const before = this.#made;
    for (let step = 1; ; step++) {
      const passed = (performance.now() - startMs) / 1_000;
      const due = before + Math.floor(Math.min(passed, seconds) * perSecond);
      for (; this.#made < due; this.#made++) this.#limiter.check(`key ${this.#made % this.#keys}`);
      if (passed >= seconds) return;
      if (step % LOOK_EVERY === 0 && !goesOn()) return;
      await pause(STEP_MS);
    }
  }
}
