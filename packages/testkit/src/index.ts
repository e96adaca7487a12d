/**
 * Code that the tests of this repository share. It is never published.
 *
 * The oracles are exact references for the policies on one process: `…Oracle(options)` keeps every
 * hit and recomputes everything at each call. `GOLDEN_EXAMPLES` are worked by hand, for oracles and
 * limiters alike. `ReferenceStore` is the state of one replica of a cluster, without any of the
 * store's optimisations. `seededRuns` and `seededRandom` make a failing run repeatable.
 * `NatsServer` is a real nats-server, for integration tests, and `TcpProxy` is a faulty connection
 * to it. `ProcessFleet` runs replicas in processes of their own.
 */

export { seededRandom } from "@tidegate/simulator";
export { GOLDEN_EXAMPLES } from "./golden/examples.ts";
export type { GoldenExample, GoldenPolicy, GoldenStep } from "./golden/golden-example.ts";
export { NatsServer, type NatsServerOptions, startNatsCluster } from "./nats/nats-server.ts";
export { ProxiedNatsCluster } from "./nats/proxied-nats-cluster.ts";
export { TcpProxy } from "./nats/tcp-proxy.ts";
export { bucketOracle } from "./oracles/bucket.ts";
export { calendarOracle } from "./oracles/calendar.ts";
export { type ConcurrencyOracle, concurrencyOracle } from "./oracles/concurrency.ts";
export { fixedWindowOracle } from "./oracles/fixed-window.ts";
export type { Oracle, OracleVerdict } from "./oracles/oracle.ts";
export { slidingLogOracle } from "./oracles/sliding-log.ts";
export { slidingWindowOracle } from "./oracles/sliding-window.ts";
export {
  fleetSize,
  isWideRun,
  ProcessFleet,
  type ProcessFleetOptions,
} from "./processes/process-fleet.ts";
export {
  type Flow,
  type PolicyPlan,
  PROCESS_FLAGS,
  type ReplicaProcess,
  type TrafficFigures,
} from "./processes/replica-process.ts";
export type { ReferenceView } from "./reference/book.ts";
export type { BucketBook, ReferenceCheckpoint } from "./reference/bucket-book.ts";
export type { ReferenceComponent } from "./reference/ledger.ts";
export type { ReferenceMark } from "./reference/reference-marks.ts";
export { type Receipt, type ReferencePolicy, ReferenceStore } from "./reference/reference-store.ts";
export { calendarCut, evenCut, slidingCut } from "./reference/slot-book.ts";
export { replayCommand, type SeededRuns, seededRuns } from "./seeded-runs.ts";
