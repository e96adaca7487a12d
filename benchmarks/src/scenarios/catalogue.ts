/**
 * All scenarios by name, as the process that runs one looks it up.
 *
 * Like subjects they are loaded by need: a process that weighs a peer never loads tidegate.
 */

import type { ClusterMemoryParameters, ClusterMemoryRecord } from "./cluster-memory.ts";
import type { FillingParameters, FillingRecord } from "./filling.ts";
import type { GarbageParameters, GarbageRecord } from "./garbage.ts";
import type { IdleParameters, IdleRecord } from "./idle.ts";
import type { LeavingRecord } from "./leaving.ts";
import type { MemoryParameters, MemoryRecord } from "./memory.ts";
import type { SpeedParameters, SpeedRecord } from "./speed.ts";

export type ScenarioName = keyof Parameters;
export type ScenarioParameters<Name extends ScenarioName> = Parameters[Name];
export type ScenarioRecord =
  | SpeedRecord
  | MemoryRecord
  | ClusterMemoryRecord
  | FillingRecord
  | GarbageRecord
  | IdleRecord
  | LeavingRecord;

interface Parameters {
  readonly speed: SpeedParameters;
  readonly memory: MemoryParameters;
  readonly clusterMemory: ClusterMemoryParameters;
  readonly filling: FillingParameters;
  readonly garbage: GarbageParameters;
  readonly idle: IdleParameters;
  readonly leaving: Readonly<Record<string, never>>;
}

type Run<Name extends ScenarioName> = (
  parameters: ScenarioParameters<Name>,
  progress: (activity: string) => void,
) => Promise<ScenarioRecord[]>;

const SCENARIOS: { readonly [Name in ScenarioName]: () => Promise<Run<Name>> } = {
  speed: async () => (await import("./speed.ts")).measureSpeed,
  memory: async () => (await import("./memory.ts")).measureMemory,
  clusterMemory: async () => (await import("./cluster-memory.ts")).measureClusterMemory,
  filling: async () => (await import("./filling.ts")).measureFilling,
  garbage: async () => (await import("./garbage.ts")).measureGarbage,
  idle: async () => (await import("./idle.ts")).measureIdle,
  leaving: async () => (await import("./leaving.ts")).useAndClose,
};

/** Runs a scenario in this process. The parameters are those of that scenario. */
export async function runScenario<Name extends ScenarioName>(
  name: Name,
  parameters: ScenarioParameters<Name>,
  progress: (activity: string) => void,
): Promise<ScenarioRecord[]> {
  const run = await SCENARIOS[name]();
  return await run(parameters, progress);
}
