/**
 * The membership of a replica that drops no reply and whose event loop is never held up.
 */

import { Membership } from "../../src/protocol/membership/membership.ts";
import type { Replicas } from "../../src/store/replicas/replicas.ts";

/** @param membersMax the most members at a time */
export function membershipOf(replicas: Replicas, membersMax?: number): Membership {
  return new Membership(
    replicas,
    { part: () => {} } as never,
    { blockedMs: 0 } as never,
    membersMax,
  );
}
