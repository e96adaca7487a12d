/** The replica inside of a simulated process, for checks that look into stores. */

import type { SteppedReplica } from "../../../core/src/cluster/stepped-cluster.ts";
import type { Replica } from "../../../core/src/protocol/replica.ts";
import type { Member } from "../../src/index.ts";

export function replicaOf({ process }: Member): Replica {
  return (process.stepped as SteppedReplica).replica;
}
