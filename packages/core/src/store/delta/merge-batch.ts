/**
 * Collects the components of a frame and merges them into a store in batches.
 *
 * A table of a million keys does not fit the processor's caches, so each lookup waits for memory. A
 * batch reads all its records first, and those waits overlap.
 */

import { blankComponent, type Component } from "../../crdt/component.ts";
import type { Store } from "../store.ts";
import { LOCATED_MAX } from "../table/key-index.ts";

export class MergeBatch {
  /** The most components that it collects. */
  readonly capacity: number = LOCATED_MAX;
  readonly #components = Array.from({ length: LOCATED_MAX }, () => blankComponent());
  readonly #low = new Int32Array(LOCATED_MAX);
  readonly #high = new Int32Array(LOCATED_MAX);
  readonly #ids = new Int32Array(LOCATED_MAX);
  #size = 0;

  /** Copies a component into the batch; returns true when the batch is full. */
  take(component: Readonly<Component>): boolean {
    const at = this.#size++;
    this.#low[at] = component.low;
    this.#high[at] = component.high;
    const taken = this.#components[at]!;
    taken.low = component.low;
    taken.high = component.high;
    taken.policy = component.policy;
    taken.replica = component.replica;
    taken.generation = component.generation;
    taken.reset = component.reset;
    taken.opener = component.opener;
    taken.period = component.period;
    taken.hits = component.hits;
    taken.refunds = component.refunds;
    taken.refusals = component.refusals;
    return this.#size === LOCATED_MAX;
  }

  /** Merges the collected components in order and empties the batch. */
  joinAll(store: Store): void {
    const size = this.#size;
    const ids = this.#ids;
    this.#size = 0;
    store.index.locate(this.#low, this.#high, ids, size);
    for (const shape of store.shapes) shape.touch?.(ids, size);
    for (let at = 0; at < size; at++) store.join(this.#components[at]!);
  }
}
