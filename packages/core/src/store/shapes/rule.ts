/**
 * A policy that works on a store: the view for decisions, and the counting.
 *
 * Each shape is the rule of its policy. `read` reads one key at one instant, and every other method
 * refers to that read. What it reads stays in fields, so a check allocates no objects.
 */

import type { View } from "../../policies/judge.ts";
import type { RecordId } from "../table/record-id.ts";

/** `Id` is how the caller knows a record: within the store by its number. */
export interface Rule<Id = RecordId> extends View {
  /** Whether a hit counted now starts something that other replicas must receive at once. */
  readonly opens: boolean;
  /** Refused hits in the window that was read, for policies that count them. */
  readonly refusals: number;

  /** Reads the key with this record (0 for none) and low half of its fingerprint. */
  read(id: Id, now: number, clusterNow: number, low: number): void;
  /** Counts hits for the key that was read; its record may have been made since. */
  add(id: Id, cost: number): void;
  /** Counts one refused hit for the key that was read. */
  refuse(id: Id): void;
  /** Identifies the window, slot or time where hits added now are counted. */
  ticket(id: Id): number;
  /**
   * Refunds hits of the window, slot or time that a ticket identifies; returns how many, 0 when
   * that is over.
   *
   * @param isHeld whether nothing has emptied since they were counted
   */
  refund(
    id: Id,
    ticket: number,
    cost: number,
    now: number,
    clusterNow: number,
    isHeld: boolean,
  ): number;
  /** Permits alone: releases up to `cost` of those that this replica holds; returns how many. */
  releasePermits?(id: Id, cost: number): number;
}
