/**
 * What frames say beside counts, and who is told.
 */

import type { Heartbeat } from "../../wire/heartbeat-section.ts";
import type { Asking } from "../../wire/repair-sections.ts";
import type { Member } from "../membership/member.ts";

/** What a frame said beside counts. */
export interface ControlHandler {
  /** A frame of a replica is about to be read; what its clock shows is known. */
  met(from: Member): void;
  heartbeat(from: Member, heartbeat: Heartbeat): void;
  asked(from: Member, asking: Asking): void;
  hello(from: Member): void;
  left(from: Member): void;
  /** All has been heard that a replica knows of others. */
  bequeathed(from: Member): void;
  /** Whether this replica has not sent a frame of that number yet. */
  isAhead(number: number): boolean;
  /** Another process that counted under the id of this replica goes on under its own. */
  succeeded(by: Member): void;
  /** Another process sends frames under the id of this replica. */
  twin(): void;
}
