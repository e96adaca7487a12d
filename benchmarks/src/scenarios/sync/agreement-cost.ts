/**
 * What agreement costs the processor of each replica, when all of them hit all keys once a second.
 */

import { perform } from "../../sync/cast.ts";
import { startServer } from "../../sync/nats.ts";
import { ProcessorUse } from "../../sync/processor-use.ts";

export interface AgreementCostScenario {
  readonly processes: number;
  readonly keys: number;
  readonly seconds: number;
}

export interface AgreementCostRecord {
  readonly kind: "agreementCost";
  readonly processes: number;
  readonly keys: number;
  /** The part of one processor that a process uses more than with a limiter of its own: mean and most. */
  readonly cost: number;
  readonly costMax: number;
  /** What it uses with a limiter of its own. */
  readonly alone: number;
  readonly processorUse: number;
}

export async function measureAgreementCost({
  processes,
  keys,
  seconds,
}: AgreementCostScenario): Promise<AgreementCostRecord[]> {
  const server = await startServer();
  const use = new ProcessorUse();
  const results = await perform(
    "steady",
    Array.from({ length: processes }, (_, index) => ({
      ...{ url: server.url, namespace: "steady", index, processes, keys, seconds },
    })),
  );
  const processorUse = use.share;
  server.stop();
  const wrong = results.find(({ used, expected }) => used !== expected);
  if (wrong !== undefined) {
    throw new Error(`a key has ${wrong.expected} hits, and a process knows of ${wrong.used}`);
  }
  const costs = results.map(({ alone, together }) => together - alone);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return [
    {
      kind: "agreementCost",
      ...{ processes, keys, processorUse },
      cost: mean(costs),
      costMax: Math.max(...costs),
      alone: mean(results.map(({ alone }) => alone)),
    },
  ];
}
