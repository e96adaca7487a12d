/**
 * What becomes of processes that count more than they can merge, for a while.
 */

import { perform } from "../../sync/cast.ts";
import { startServer } from "../../sync/nats.ts";
import { ProcessorUse } from "../../sync/processor-use.ts";

export interface OverloadScenario {
  readonly processes: number;
  readonly keys: number;
  /** Hits of each process before and after the burst, and during it. */
  readonly usualPerSecond: number;
  readonly perSecond: number;
  readonly seconds: number;
}

export interface OverloadRecord {
  readonly kind: "overload";
  readonly processes: number;
  readonly keys: number;
  readonly perSecond: number;
  readonly seconds: number;
  /** How many processes said that they were overloaded. */
  readonly overloaded: number;
  /** Of all processes, the most. */
  readonly mostLagMs: number;
  readonly clockErrorMs: number;
  readonly caughtUpMs: number;
  readonly processorUse: number;
}

export async function measureOverload({
  processes,
  keys,
  usualPerSecond,
  perSecond,
  seconds,
}: OverloadScenario): Promise<OverloadRecord[]> {
  const server = await startServer();
  const use = new ProcessorUse();
  const one = { url: server.url, namespace: "burst", processes, keys, usualPerSecond };
  const given = { ...one, perSecond, seconds };
  const results = await perform(
    "burst",
    Array.from({ length: processes }, () => given),
  );
  const processorUse = use.share;
  server.stop();
  const most = (figure: (result: (typeof results)[number]) => number): number =>
    Math.max(...results.map(figure));
  return [
    {
      kind: "overload",
      ...{ processes, keys, perSecond, seconds, processorUse },
      overloaded: results.filter(({ wasOverloaded }) => wasOverloaded).length,
      mostLagMs: most(({ mostLagMs }) => mostLagMs),
      clockErrorMs: most(({ clockErrorMs }) => clockErrorMs),
      caughtUpMs: most(({ caughtUpMs }) => caughtUpMs),
    },
  ];
}
