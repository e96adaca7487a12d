/**
 * One key under one policy, as the reference keeps it: what counts now, and what is over.
 *
 * A book is told of time before it is asked anything (`catchUp`), and forgets then what is over.
 */

import type { Counts, ReferenceComponent } from "./ledger.ts";
import type { ReferenceReplicas } from "./reference-replicas.ts";

/** What every book of a store reads: the time and the replicas, as the store knows them. */
export interface World {
  readonly self: string;
  readonly replicas: ReferenceReplicas;
  /** This replica's time and the cluster's. */
  readonly now: number;
  readonly clusterNow: number;
}

/** Where own hits come from: the part of an own component's identity that the store decides. */
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
  /** When it is all over if nobody hits, by the clock the policy goes by; 0 if nothing counts. */
  readonly endsAt: number;
}

export interface ReferenceBook {
  /** Whether a reset ends what is counted. */
  readonly endsWithReset: boolean;
  /** Whether own components outlive the places they were counted in. */
  readonly isPlaceless: boolean;

  catchUp(): void;
  /** Counts own hits or refusals; returns the name of the component they are in. */
  count(origin: Origin, counts: Partial<Counts>): string;
  refund(name: string, cost: number): number;
  /** Whether a component heard now could still count. */
  admits(component: ReferenceComponent): boolean;
  /** Merges another replica's component; returns whether it said anything new. */
  join(component: ReferenceComponent): boolean;
  emit(origin: Origin): ReferenceComponent[];
  drop(replica: string): void;
  wipe(): void;
  /** Whether it could be forgotten without anybody noticing. */
  isOver(): boolean;
  /** Whether somebody is still to release something of this replica's own. */
  isHeld(): boolean;
  view(): ReferenceView;
}
