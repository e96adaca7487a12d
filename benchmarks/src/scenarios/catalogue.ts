/**
 * All scenarios by name, as the process that runs one looks it up.
 *
 * Like subjects they are loaded by need: a process that weighs a peer never loads tidegate.
 */

import type { ClusterMemoryParameters, ClusterMemoryRecord } from "./cluster-memory.ts";
import type { FillingParameters, FillingRecord } from "./filling.ts";
import type { GarbageParameters, GarbageRecord } from "./garbage.ts";
import type { FleetParameters, FleetRecord } from "./http/fleet.ts";
import type { RequestCostParameters, RequestCostRecord } from "./http/request-cost.ts";
import type { SocketCostParameters, SocketCostRecord } from "./http/socket-cost.ts";
import type { IdleParameters, IdleRecord } from "./idle.ts";
import type { LeavingRecord } from "./leaving.ts";
import type { MemoryParameters, MemoryRecord } from "./memory.ts";
import type { SpeedParameters, SpeedRecord } from "./speed.ts";
import type { AgreementCostRecord, AgreementCostScenario } from "./sync/agreement-cost.ts";
import type { HotKeyRecord, HotKeyScenario } from "./sync/hot-key.ts";
import type { JoiningRecord, JoiningScenario } from "./sync/joining.ts";
import type { LongWorkRecord, LongWorkScenario } from "./sync/long-work.ts";
import type { ManyKeysRecord, ManyKeysScenario } from "./sync/many-keys.ts";
import type { MergingRecord, MergingScenario } from "./sync/merging.ts";
import type { OverloadRecord, OverloadScenario } from "./sync/overload.ts";
import type { PropagationRecord, PropagationScenario } from "./sync/propagation.ts";
import type { SharedCheckRecord, SharedCheckScenario } from "./sync/shared-check.ts";

export type ScenarioName = keyof Parameters;
export type ScenarioParameters<Name extends ScenarioName> = Parameters[Name];
export type ScenarioRecord =
  | SpeedRecord
  | MemoryRecord
  | ClusterMemoryRecord
  | FillingRecord
  | GarbageRecord
  | IdleRecord
  | LeavingRecord
  | FleetRecord
  | RequestCostRecord
  | SocketCostRecord
  | SyncRecord;

/** What the scenarios of the suite `sync` bring. */
export type SyncRecord =
  | AgreementCostRecord
  | HotKeyRecord
  | JoiningRecord
  | LongWorkRecord
  | ManyKeysRecord
  | MergingRecord
  | OverloadRecord
  | PropagationRecord
  | SharedCheckRecord;

interface Parameters {
  readonly speed: SpeedParameters;
  readonly memory: MemoryParameters;
  readonly clusterMemory: ClusterMemoryParameters;
  readonly filling: FillingParameters;
  readonly garbage: GarbageParameters;
  readonly idle: IdleParameters;
  readonly leaving: Readonly<Record<string, never>>;
  readonly fleet: FleetParameters;
  readonly requestCost: RequestCostParameters;
  readonly socketCost: SocketCostParameters;
  readonly agreementCost: AgreementCostScenario;
  readonly hotKey: HotKeyScenario;
  readonly joining: JoiningScenario;
  readonly longWork: LongWorkScenario;
  readonly manyKeys: ManyKeysScenario;
  readonly merging: MergingScenario;
  readonly overload: OverloadScenario;
  readonly propagation: PropagationScenario;
  readonly sharedCheck: SharedCheckScenario;
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
  fleet: async () => (await import("./http/fleet.ts")).measureFleet,
  requestCost: async () => (await import("./http/request-cost.ts")).measureRequestCost,
  socketCost: async () => (await import("./http/socket-cost.ts")).measureSocketCost,
  agreementCost: async () => (await import("./sync/agreement-cost.ts")).measureAgreementCost,
  hotKey: async () => (await import("./sync/hot-key.ts")).measureHotKey,
  joining: async () => (await import("./sync/joining.ts")).measureJoining,
  longWork: async () => (await import("./sync/long-work.ts")).measureLongWork,
  manyKeys: async () => (await import("./sync/many-keys.ts")).measureManyKeys,
  merging: async () => (await import("./sync/merging.ts")).measureMerging,
  overload: async () => (await import("./sync/overload.ts")).measureOverload,
  propagation: async () => (await import("./sync/propagation.ts")).measurePropagation,
  sharedCheck: async () => (await import("./sync/shared-check.ts")).measureSharedCheck,
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
