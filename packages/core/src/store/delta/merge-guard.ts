/**
 * Whether what was heard of a key may be merged, and if not, why.
 *
 * Most reasons happen every day: frames are late, and resets overtake counts. They are told apart so
 * that those which should never happen can be seen among them.
 */

import type { Component } from "../../crdt/component.ts";
import type { Resets } from "../marks/resets.ts";
import { NOBODY, type Replicas, SELF } from "../replicas/replicas.ts";
import type { StoreState } from "../store-state.ts";
import type { Shape } from "../table/entry.ts";

/** Why a component changed nothing, although it may have said something new. */
export type JoinFault =
  /** Its window or slot has ended. */
  | "over"
  /** Its window or slot begins later than any clock explains. */
  | "ahead"
  /** It was counted before a reset that is known here. */
  | "beforeReset"
  /** No replica counts like that: more given back than counted, or under no policy of the limiter. */
  | "impossible"
  /** Its replica, or who opened its window, is one too many to be told apart, or was forgotten. */
  | "tooManyReplicas"
  /** The key has more components already than any lawful history makes. */
  | "tooManyComponents"
  /** There is no room for another key, or its sender has brought in more than its part. */
  | "tooManyKeys";

export interface MergeGuardOptions {
  readonly replicas: Replicas;
  /** Takes why something that was heard has not been merged. */
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

  /** Learns of the reset that a component carries, and says whether the rest of it may be merged. */
  admits(component: Readonly<Component>): boolean {
    const fault = this.#faultOf(component);
    return fault === undefined || this.refuse(fault);
  }

  /** Takes note of a component that is not merged. */
  refuse(why: JoinFault): false {
    this.#dropped?.(why);
    return false;
  }

  #faultOf(component: Readonly<Component>): JoinFault | undefined {
    const { low, high, replica, opener, reset } = component;
    const shape = this.#shapes[component.policy];
    if (shape === undefined || replica === SELF) return "impossible";
    if (component.refunds > component.hits) return "impossible";
    // There are only so many numbers, and what has none cannot be told apart.
    if (replica >= NOBODY || opener >= NOBODY) return "tooManyReplicas";
    if (this.#replicas.isDropped(replica)) return "tooManyReplicas";
    const { now, clusterNow } = this.#storeState;
    const timing = shape.timing(component, now, clusterNow);
    if (timing !== "live") return timing;
    if (shape.endsWithReset && !this.#resets.admit(low, high, reset)) return "beforeReset";
    return undefined;
  }
}
