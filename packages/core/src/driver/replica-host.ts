/**
 * What runs a replica, as its limiters see it. In a process that is the `ReplicaDriver`, and in a
 * simulation the loop of the simulator.
 */

import type { ReplicatedLimiter } from "../protocol/limiters/replicated-limiter.ts";
import type { Replica } from "../protocol/replica.ts";
import type { Beat } from "../runtime/process-timer.ts";
import type { SteadyTime } from "../time/clock.ts";

export interface ReplicaHost {
  readonly replica: Replica;
  /** The own time of the replica. */
  readonly time: SteadyTime;
  /** From 0 to 1; no other process can guess the numbers. */
  readonly random: () => number;
  /** Replicates what a limiter counts. */
  attach(limiter: ReplicatedLimiter): void;
  /** A limiter is closed. */
  detach(limiter: ReplicatedLimiter): void;
  /** A count has brought the replica's deadline forward. Called within requests. */
  deadlineIsSooner(): void;
  /** Calls `beat` about once a second until it is done. */
  joinTimer(beat: Beat): void;
  leaveTimer(beat: Beat): void;
}
