/**
 * How long a check takes, of a limiter that is alone in its process or one of a cluster.
 */

import { cpuUsage } from "node:process";
import { createLimiter, fixedWindow, HOUR, joinCluster } from "@tidegate/core";
import type { Transport } from "@tidegate/core/transport";
import { quantile } from "../../measure/statistics.ts";
import { pause } from "../replica.ts";
import type { Stage } from "../role.ts";

export interface CheckParameters {
  readonly isShared: boolean;
  readonly requests: number;
  readonly rounds: number;
}

export interface CheckResult {
  /** Nanoseconds of the processor that a check took, by round. */
  readonly ns: readonly number[];
}

const LIMIT = 1_000_000_000;
const WARM_UP_ROUNDS = 3;
const KEYS = 16;

export async function check(
  { isShared, requests, rounds }: CheckParameters,
  stage: Stage,
): Promise<CheckResult> {
  const cluster = isShared ? joinCluster({ transport: new Unheard() }) : undefined;
  await cluster?.ready;
  const limiter = createLimiter({
    name: "check",
    policy: fixedWindow({ limit: LIMIT, windowMs: HOUR }),
    ...(cluster !== undefined && { cluster }),
  });
  const keys = Array.from({ length: KEYS }, (_, key) => `key ${key}`);
  await stage.ready();
  const ns: number[] = [];
  let allowed = 0;
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
    const before = cpuUsage();
    for (let made = 0; made < requests; made++) {
      if (limiter.check(keys[made % KEYS]!).allowed) allowed++;
    }
    const { user, system } = cpuUsage(before);
    ns.push((1_000 * (user + system)) / requests);
    // What was counted leaves in between, as it would.
    await pause(60);
  }
  if (allowed !== requests * ns.length) throw new Error("a check was refused");
  const measured = ns.slice(WARM_UP_ROUNDS);
  await cluster?.leave();
  return { ns: [0.25, 0.5, 0.75].map((share) => quantile(measured, share)) };
}

/** A transport that takes everything and brings nothing. */
class Unheard implements Transport {
  open(): void {}

  publish(): boolean {
    return true;
  }

  close(): void {}
}
