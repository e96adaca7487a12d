/**
 * Runs whole fleets of the replicas that ship in one process, in virtual time, from one seed.
 */

export {
  type AccuracyOptions,
  type AccuracyResult,
  type Latency,
  lawOf,
  measureAccuracy,
} from "./accuracy.ts";
export { Admissions } from "./admissions.ts";
export {
  type ConvergenceOptions,
  type ConvergenceResult,
  measureConvergence,
} from "./convergence.ts";
export { type CostOptions, type CostResult, measureCost } from "./cost.ts";
export {
  HeapTree,
  type HeapTreeKind,
  type HeapTreeOptions,
  heapError,
  heapFormulaMs,
  heapPropagationMs,
  longestHeapPath,
} from "./heap-tree.ts";
export { type Action, describeAction } from "./histories/action.ts";
export type { Check } from "./histories/checks.ts";
export { History, type HistoryOptions, type Member, type Tally } from "./histories/history.ts";
export {
  describeHistory,
  type HistoryResult,
  type MoreChecks,
  runHistory,
  shrinkHistory,
} from "./histories/run-history.ts";
export {
  DELAY_MS_MAX,
  type Faults,
  LATE_MS_MAX,
  type Scenario,
  TAIL_MS_MAX,
} from "./histories/scenario.ts";
export { HeldTruth, LastingTruth, LeavingTruth, type Truth } from "./histories/truth.ts";
export { ARRIVALS, type Arrivals, arrivalsOf } from "./load/arrivals.ts";
export { BALANCINGS, Balancer, type Balancing } from "./load/balancing.ts";
export type { KeyOptions } from "./load/keys.ts";
export { randomStreams, seededRandom } from "./seeded-random.ts";
export { SimulatedFleet } from "./simulated-fleet.ts";
export { type ProcessOptions, SimulatedProcess } from "./simulated-process.ts";
export { type ClockFaults, START_WALL_MS, VirtualClock } from "./virtual-clock.ts";
export { type NetworkEnd, type NetworkFaults, VirtualNetwork } from "./virtual-network.ts";
export { type Planned, VirtualTime } from "./virtual-time.ts";
