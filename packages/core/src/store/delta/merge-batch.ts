/**
 * Components of one frame on their way into a store, some at a time.
 *
 * A table of a million keys does not fit the caches of a processor, and who looks for one key after
 * the other waits for memory each time. Several that are looked for at once are waited for together.
 */

import { blankComponent, type Component } from "../../crdt/component.ts";
import type { Store } from "../store.ts";
import { LOCATED_MAX } from "../table/key-index.ts";

export class MergeBatch {
  readonly #components = Array.from({ length: LOCATED_MAX }, () => blankComponent());
  readonly #low = new Int32Array(LOCATED_MAX);
  readonly #high = new Int32Array(LOCATED_MAX);
  readonly #ids = new Int32Array(LOCATED_MAX);
  #size = 0;

  /** Takes a copy of a component; true when there is no room for another. */
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
    taken.place = component.place;
    taken.hits = component.hits;
    taken.refunds = component.refunds;
    taken.refusals = component.refusals;
    return this.#size === LOCATED_MAX;
  }

  /** Joins all that was taken, in order, and begins anew. */
  joinAll(store: Store): void {
    const size = this.#size;
    const ids = this.#ids;
    this.#size = 0;
    store.index.locate(this.#low, this.#high, ids, size);
    for (const shape of store.shapes) shape.touch?.(ids, size);
    for (let at = 0; at < size; at++) store.join(this.#components[at]!);
  }
}
