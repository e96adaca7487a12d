/**
 * The entry for simulators: the replica that ships, stepped by its owner, in time of the owner's
 * own. No timer, transport or global clock is involved, so one seed replays a whole fleet.
 */

export {
  type SteppedCluster,
  type SteppedClusterOptions,
  type SteppedEffect,
  type SteppedEvent,
  steppedCluster,
} from "./cluster/stepped-cluster.ts";
export type { TransportState } from "./protocol/replica.ts";
