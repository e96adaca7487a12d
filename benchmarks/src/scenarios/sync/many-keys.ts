/**
 * Many active keys, none near its limit: what is sent, beside a fixed tick that gets the same hits.
 */

import { perform } from "../../sync/cast.ts";
import { startServer } from "../../sync/nats.ts";
import { ProcessorUse } from "../../sync/processor-use.ts";

export interface ManyKeysScenario {
  readonly processes: number;
  readonly keys: number;
  /** Hits of each process. */
  readonly perSecond: number;
  readonly seconds: number;
  readonly tickMs: number;
}

export interface ManyKeysRecord {
  readonly kind: "manyKeys";
  readonly processes: number;
  readonly keys: number;
  readonly perSecond: number;
  readonly tickMs: number;
  /** What a process sends in a second. */
  readonly frames: number;
  readonly bytes: number;
  readonly tickFrames: number;
  readonly tickBytes: number;
  readonly processorUse: number;
}

export async function measureManyKeys(scenario: ManyKeysScenario): Promise<ManyKeysRecord[]> {
  const { processes, keys, perSecond, seconds, tickMs } = scenario;
  const server = await startServer();
  const use = new ProcessorUse();
  const results = await perform(
    "crowd",
    Array.from({ length: processes }, (_, index) => ({
      ...{ url: server.url, namespace: "many-keys", index, processes },
      ...{ tickMs, keys, perSecond, seconds },
    })),
  );
  const processorUse = use.share;
  server.stop();
  const perProcess = (pick: (result: (typeof results)[number]) => number): number =>
    results.reduce((sum, result) => sum + pick(result), 0) / processes / seconds;
  return [
    {
      kind: "manyKeys",
      ...{ processes, keys, perSecond, tickMs, processorUse },
      frames: perProcess(({ tidegate }) => tidegate.frames),
      bytes: perProcess(({ tidegate }) => tidegate.bytes),
      tickFrames: perProcess(({ fixedTick }) => fixedTick.frames),
      tickBytes: perProcess(({ fixedTick }) => fixedTick.bytes),
    },
  ];
}
