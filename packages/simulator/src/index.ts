/**
 * Runs whole fleets of the replicas that ship in one process, in virtual time, from one seed.
 */

export { Admissions } from "./admissions.ts";
export { randomStreams, seededRandom } from "./seeded-random.ts";
export { SimulatedFleet } from "./simulated-fleet.ts";
export { type ProcessOptions, SimulatedProcess } from "./simulated-process.ts";
export { type ClockFaults, START_WALL_MS, VirtualClock } from "./virtual-clock.ts";
export { type NetworkEnd, type NetworkFaults, VirtualNetwork } from "./virtual-network.ts";
export { type Planned, VirtualTime } from "./virtual-time.ts";
