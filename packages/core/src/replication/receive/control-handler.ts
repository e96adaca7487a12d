/**
 * What reacts to the sections of a frame that are not counts: heartbeats, requests, hello and
 * leave.
 */

import type { Asking, Heartbeat } from "../../wire/control-sections.ts";
import type { Member } from "../membership/member.ts";

/** Implemented by the replicator, which passes each on to the room that it belongs to. */
export interface ControlHandler {
  /** A frame of a replica is about to be read; its clock offset is known. */
  frameOpened(from: Member): void;
  heartbeat(from: Member, heartbeat: Heartbeat): void;
  syncRequest(from: Member, asking: Asking): void;
  hello(from: Member): void;
  left(from: Member): void;
  /** A replica has sent all that it knows of dead replicas. */
  deadReplicasReported(from: Member): void;
  /** Whether this replica has not yet sent a frame of that number. */
  isAhead(number: number): boolean;
  /** Another process that used the id of this replica has taken a new one. */
  duplicateRenamed(by: Member): void;
  /** Another process sends frames under the id of this replica: a duplicate replica id. */
  duplicateId(): void;
}
