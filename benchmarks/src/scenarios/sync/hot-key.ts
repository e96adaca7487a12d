/**
 * One hot key far above its limit: how many frames it takes to agree on it, and how far over the limit
 * all processes together go, beside a fixed tick that gets the same hits.
 */

import { perform } from "../../sync/cast.ts";
import { startServer } from "../../sync/nats.ts";
import { ProcessorUse } from "../../sync/processor-use.ts";
import type { Telling } from "../../sync/roles/hot-key.ts";

export interface HotKeyScenario {
  readonly processes: number;
  readonly limit: number;
  /** Hits within a window are the limit, so many times over. */
  readonly load: number;
  readonly windowSeconds: number;
  readonly rounds: number;
  readonly tickMs: number;
}

export interface HotKeyRecord {
  readonly kind: "hotKey";
  readonly processes: number;
  readonly limit: number;
  readonly load: number;
  readonly tickMs: number;
  readonly frames: number;
  readonly tickFrames: number;
  /** Hits above the limit, as a part of it: the mean of all rounds. */
  readonly overshoot: number;
  readonly tickOvershoot: number;
  readonly processorUse: number;
}

/** How much longer it goes on than until the limit is reached. */
const BEYOND = 1.4;

export async function measureHotKey({
  processes,
  limit,
  load,
  windowSeconds,
  rounds,
  tickMs,
}: HotKeyScenario): Promise<HotKeyRecord[]> {
  const server = await startServer();
  const use = new ProcessorUse();
  const perSecond = (load * limit) / windowSeconds / processes;
  const seconds = (windowSeconds / load) * BEYOND;
  const common = { url: server.url, namespace: "hot-key", processes, tickMs, limit, rounds };
  const results = await perform(
    "hotKey",
    Array.from({ length: processes }, (_, index) => ({ ...common, index, perSecond, seconds })),
  );
  const processorUse = use.share;
  server.stop();
  return [
    {
      kind: "hotKey",
      ...{ processes, limit, load, tickMs, processorUse },
      ...{ frames: framesOf(results.map(({ tidegate }) => tidegate)) },
      ...{ tickFrames: framesOf(results.map(({ fixedTick }) => fixedTick)) },
      overshoot: overshootOf(
        results.map(({ tidegate }) => tidegate),
        limit,
        rounds,
      ),
      tickOvershoot: overshootOf(
        results.map(({ fixedTick }) => fixedTick),
        limit,
        rounds,
      ),
    },
  ];
}

function framesOf(tellings: readonly Telling[]): number {
  return tellings.reduce((sum, { frames }) => sum + frames, 0);
}

function overshootOf(tellings: readonly Telling[], limit: number, rounds: number): number {
  let over = 0;
  for (let round = 0; round < rounds; round++) {
    const allowed = tellings.reduce((sum, telling) => sum + telling.allowed[round]!, 0);
    if (allowed < limit) throw new Error(`${allowed} hits were allowed, the limit is ${limit}`);
    over += (allowed - limit) / limit;
  }
  return over / rounds;
}
