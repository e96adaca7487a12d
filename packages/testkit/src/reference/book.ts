/**
 * One key under one policy in the reference: what counts now, and what is over.
 *
 * Call `catchUp` with the time before any other method; it drops what is over.
 */

import type { Counts, ReferenceComponent } from "./ledger.ts";
import type { ReferenceReplicas } from "./reference-replicas.ts";

/** The time and the replicas, which every book of a store reads. */
export interface World {
  readonly self: string;
  readonly replicas: ReferenceReplicas;
  /** This replica's time and the cluster's. */
  readonly now: number;
  readonly clusterNow: number;
}

/** The part of an own component's identity that the store decides. */
export interface Origin {
  readonly key: string;
  readonly policy: number;
  readonly generation: number;
  readonly reset: number;
}

export interface ReferenceView {
  /** What counts against the limit: hits, or units of a slot, or a level. */
  readonly held: number;
  /** Refused hits, where they are counted. */
  readonly refusals: number;
  /**
   * When everything is over without further hits, on the clock of the policy; 0 if nothing counts.
   */
  readonly endsAt: number;
}

export interface ReferenceBook {
  /** Whether a reset ends its counts. */
  readonly endsWithReset: boolean;
  /** Whether own components outlive the periods they were counted in. */
  readonly hasNoPeriods: boolean;

  catchUp(): void;
  /** Counts own hits or refusals; returns the name of the component they are in. */
  count(origin: Origin, counts: Partial<Counts>): string;
  refund(name: string, cost: number): number;
  /** Whether a component received now could still count. */
  admits(component: ReferenceComponent): boolean;
  /** Merges another replica's component; returns whether it was new. */
  join(component: ReferenceComponent): boolean;
  emit(origin: Origin): ReferenceComponent[];
  drop(replica: string): void;
  wipe(): void;
  /** Whether it could be forgotten without a visible difference. */
  isOver(): boolean;
  /** Whether this replica holds permits in it. */
  isHeld(): boolean;
  view(): ReferenceView;
}
