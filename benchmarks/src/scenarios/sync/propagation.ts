/**
 * How long it takes until others see a hit: processes over a nats-server, by how long counts may wait.
 */

import { quantile } from "../../measure/statistics.ts";
import { perform } from "../../sync/cast.ts";
import { startServer } from "../../sync/nats.ts";
import { ProcessorUse } from "../../sync/processor-use.ts";
import type { PropagationResult } from "../../sync/roles/propagation.ts";

export interface PropagationScenario {
  readonly processes: number;
  /** The caps, `flushMs`, one after the other. */
  readonly capsMs: readonly number[];
  readonly seconds: number;
}

export interface PropagationRecord {
  readonly kind: "propagation";
  readonly processes: number;
  readonly capMs: number;
  /** Hits, times those who saw them. */
  readonly seen: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** The part of the machine that was in use. */
  readonly processorUse: number;
}

/** All processes together; how many of them hear each hit grows with them. */
const HITS_PER_SECOND = 200;

export async function measurePropagation(
  { processes, capsMs, seconds }: PropagationScenario,
  progress: (activity: string) => void,
): Promise<PropagationRecord[]> {
  const server = await startServer();
  const records: PropagationRecord[] = [];
  for (const capMs of capsMs) {
    progress(`cap ${capMs} ms`);
    const common = { url: server.url, namespace: `cap-${capMs}`, processes, capMs, seconds };
    const use = new ProcessorUse();
    const results = await perform(
      "propagation",
      Array.from({ length: processes }, (_, index) => ({
        ...{ ...common, index, perSecond: HITS_PER_SECOND / processes },
      })),
    );
    records.push(recordOf(results, { processes, capMs, processorUse: use.share }));
  }
  server.stop();
  return records;
}

function recordOf(
  results: readonly PropagationResult[],
  measured: Pick<PropagationRecord, "processes" | "capMs" | "processorUse">,
): PropagationRecord {
  const tookMs: number[] = [];
  results.forEach(({ counted }, sender) => {
    results.forEach(({ seen }, receiver) => {
      if (sender === receiver) return;
      counted.forEach((atMs, hit) => {
        const seenAtMs = seen[sender]![hit]!;
        if (seenAtMs === 0) throw new Error(`hit ${hit} of ${sender} was not seen by ${receiver}`);
        tookMs.push(seenAtMs - atMs);
      });
    });
  });
  return {
    kind: "propagation",
    ...measured,
    seen: tookMs.length,
    p50Ms: quantile(tookMs, 0.5),
    p99Ms: quantile(tookMs, 0.99),
    maxMs: quantile(tookMs, 1),
  };
}
