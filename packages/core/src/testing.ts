/**
 * What tests of code that uses tidegate need: real implementations that a test can steer.
 *
 * Start with `manualClock`: a test says how much time has passed, and does not wait.
 * `memoryNetwork` connects several clusters inside one process, with faults on request.
 */

export { type ManualClock, manualClock } from "./time/manual-clock.ts";
export {
  type MemoryNetwork,
  type MemoryNetworkOptions,
  memoryNetwork,
} from "./transport/memory-network.ts";
