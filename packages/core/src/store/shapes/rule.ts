/**
 * A policy that works on a store: the view for decisions, and the counting.
 *
 * `read` reads one key at one instant, and every other method refers to that read. There is one
 * rule per policy of a limiter, used for every key. It keeps what it read in fields, so a check
 * allocates no objects.
 */

import type { View } from "../../policies/judge.ts";
import type { Policy } from "../../policies/policy.ts";
import type { RecordId } from "../table/record-id.ts";

export interface Rule extends View {
  readonly policy: Policy;
  /** Whether a hit counted now starts something that other replicas must receive at once. */
  readonly opens: boolean;
  /** Refused hits in the window that was read, for policies that count them. */
  readonly refusals: number;

  /** Reads the key with this record (0 for none) and low half of its fingerprint. */
  read(id: RecordId, low: number, now: number, clusterNow: number): void;
  /** Counts hits for the key that was read; its record may have been made since. */
  add(id: RecordId, cost: number): void;
  /** Counts one refused hit for the key that was read. */
  refuse(id: RecordId): void;
  /** Identifies where hits added now are counted. */
  ticket(id: RecordId): number;
  /** Refunds hits; returns how many. `isHeld`: nothing has emptied since they were counted. */
  refund(
    id: RecordId,
    ticket: number,
    cost: number,
    now: number,
    clusterNow: number,
    isHeld: boolean,
  ): number;
}
