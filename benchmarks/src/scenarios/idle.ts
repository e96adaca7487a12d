/**
 * How much processor time an idle limiter uses while it holds many keys.
 *
 * A process that holds no limiter waits beside it, to show what the runtime itself uses.
 */

import { cpuUsage } from "node:process";
import { setTimeout } from "node:timers/promises";
import { fixedWindow } from "@tidegate/core";
import { collectGarbage } from "../measure/collector.ts";
import { address } from "../measure/tape.ts";
import { WINDOW_MS } from "../subjects/subject.ts";
import { openLimiter } from "../subjects/tidegate.ts";

export interface IdleParameters {
  /** Zero for a process without a limiter. */
  readonly keys: number;
  readonly seconds: number;
}

export interface IdleRecord {
  readonly kind: "idle";
  readonly keys: number;
  readonly seconds: number;
  readonly cpuMs: number;
}

const SETTLING_MS = 1_000; // The compiler and the collector finish what filling left them.

export async function measureIdle({ keys, seconds }: IdleParameters): Promise<IdleRecord[]> {
  const limiter =
    keys === 0
      ? undefined
      : openLimiter(fixedWindow({ limit: 100, windowMs: WINDOW_MS }), keys * 2);
  for (let key = 0; key < keys; key++) limiter?.check(address(key));
  collectGarbage();
  await setTimeout(SETTLING_MS);

  const before = cpuUsage();
  await setTimeout(seconds * 1_000);
  const { user, system } = cpuUsage(before);
  limiter?.close();
  return [{ kind: "idle", keys, seconds, cpuMs: (user + system) / 1_000 }];
}
