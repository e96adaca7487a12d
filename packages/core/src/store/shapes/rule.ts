/**
 * A policy at work on a store: the view that decisions are made from, and the way to count in it.
 *
 * `read` looks at one key at one instant, and everything else refers to what it saw. There is one
 * rule for each policy of a limiter and it is used for every key, so it keeps what it saw in fields
 * instead of returning objects.
 */

import type { View } from "../../policies/judge.ts";
import type { Policy } from "../../policies/policy.ts";
import type { RecordId } from "../table/record-id.ts";

export interface Rule extends View {
  readonly policy: Policy;
  /** Whether a hit added now begins something that other replicas should hear of at once. */
  readonly opens: boolean;
  /** Refused hits in the window that was read, for policies that count them. */
  readonly refusals: number;

  /** Looks at the key with this record and low half of its fingerprint. */
  read(id: RecordId, low: number, now: number, clusterNow: number): void;
  /** Counts hits for the key that was read, whose record may have been made since. */
  add(id: RecordId, cost: number): void;
  /** Counts one refused hit for the key that was read. */
  refuse(id: RecordId): void;
  /** Names what hits added now are counted in. */
  ticket(id: RecordId): number;
  /** Gives back hits; returns how many could be. `isHeld`: nothing has emptied since they came. */
  refund(
    id: RecordId,
    ticket: number,
    cost: number,
    now: number,
    clusterNow: number,
    isHeld: boolean,
  ): number;
}
