/**
 * How long a check of a hot key takes in a cluster, beside one in a process that is alone.
 */

import { quantile } from "../../measure/statistics.ts";
import { perform } from "../../sync/cast.ts";

export interface SharedCheckScenario {
  readonly requests: number;
  readonly rounds: number;
  /** Processes of each kind, as what the compiler makes of a program differs from one to the next. */
  readonly processes: number;
}

export interface SharedCheckRecord {
  readonly kind: "sharedCheck";
  readonly aloneNs: number;
  readonly sharedNs: number;
}

export async function measureSharedCheck(
  { requests, rounds, processes }: SharedCheckScenario,
  progress: (activity: string) => void,
): Promise<SharedCheckRecord[]> {
  const ns = { alone: [] as number[], shared: [] as number[] };
  for (let run = 0; run < processes; run++) {
    progress(`process ${run + 1} of ${processes}`);
    for (const isShared of [false, true]) {
      const [result] = await perform("check", [{ isShared, requests, rounds }]);
      ns[isShared ? "shared" : "alone"].push(result!.ns[1]!);
    }
  }
  const aloneNs = quantile(ns.alone, 0.5);
  return [{ kind: "sharedCheck", aloneNs, sharedNs: quantile(ns.shared, 0.5) }];
}
