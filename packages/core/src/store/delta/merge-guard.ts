/**
 * Decides whether a received component may be merged, and gives the reason when it may not.
 *
 * Most reasons are routine: frames arrive late, and resets overtake counts. Each has a name of its
 * own, so that the reports show those that must never happen.
 */

import type { Component } from "../../crdt/component.ts";
import type { Resets } from "../marks/resets.ts";
import { NO_REPLICA, type Replicas, SELF } from "../replicas/replicas.ts";
import type { StoreState } from "../store-state.ts";
import type { Shape } from "../table/entry.ts";

/** Why a component was not merged, although it may have been new. */
export type JoinFault =
  /** Its window or slot has ended. */
  | "over"
  /** Its window or slot begins later than any clock error explains. */
  | "ahead"
  /** It was counted before a reset that this replica knows. */
  | "beforeReset"
  /**
   * No correct replica sends it: it has more refunds than hits, or belongs to no policy of the
   * limiter.
   */
  | "impossible"
  /**
   * Its replica, or the opener of its window, has no index: all indexes are in use, or it was
   * dropped.
   */
  | "tooManyReplicas"
  /** The key has more components than any lawful history makes. */
  | "tooManyComponents"
  /** There is no room for another key, or the sender has introduced more keys than its quota. */
  | "tooManyKeys";

export interface MergeGuardOptions {
  readonly replicas: Replicas;
  /** Receives the reason for each component that was not merged. */
  readonly dropped?: ((why: JoinFault) => void) | undefined;
}

export class MergeGuard {
  readonly #shapes: readonly Shape[];
  readonly #resets: Resets;
  readonly #storeState: StoreState;
  readonly #replicas: Replicas;
  readonly #dropped: MergeGuardOptions["dropped"];

  constructor(
    shapes: readonly Shape[],
    resets: Resets,
    storeState: StoreState,
    { replicas, dropped }: MergeGuardOptions,
  ) {
    this.#shapes = shapes;
    this.#resets = resets;
    this.#storeState = storeState;
    this.#replicas = replicas;
    this.#dropped = dropped;
  }

  /** Merges the reset that a component carries; returns whether its counts may be merged. */
  admits(component: Readonly<Component>): boolean {
    const fault = this.#faultOf(component);
    return fault === undefined || this.refuse(fault);
  }

  /** Reports a component that is not merged. */
  refuse(why: JoinFault): false {
    this.#dropped?.(why);
    return false;
  }

  #faultOf(component: Readonly<Component>): JoinFault | undefined {
    const { low, high, replica, opener, reset } = component;
    const shape = this.#shapes[component.policy];
    if (shape === undefined || replica === SELF) return "impossible";
    if (component.refunds > component.hits) return "impossible";
    // Replica indexes are limited; a replica without one cannot be told apart from others.
    if (replica >= NO_REPLICA || opener >= NO_REPLICA) return "tooManyReplicas";
    if (this.#replicas.isDropped(replica)) return "tooManyReplicas";
    const { now, clusterNow } = this.#storeState;
    const timing = shape.timing(component, now, clusterNow);
    if (timing !== "live") return timing;
    if (shape.endsWithReset && !this.#resets.admit(low, high, reset)) return "beforeReset";
    return undefined;
  }
}
