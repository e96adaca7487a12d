/**
 * Components on their way into frames, in columns, so that thousands cost no objects.
 *
 * They are sorted by fingerprint before they are written: neighbours in a sorted list differ by
 * little, and what differs by little takes few bytes.
 */

import type { Component } from "../lattice/component.ts";

/** More do not fit a frame anyway. */
export const BATCH_MAX = 8_192;

const TWO_32 = 2 ** 32;
const INDEX_RANGE = 2 ** 20;

export class ComponentBatch {
  size = 0;
  readonly low: Int32Array = new Int32Array(BATCH_MAX);
  readonly high: Int32Array = new Int32Array(BATCH_MAX);
  readonly opener: Uint16Array = new Uint16Array(BATCH_MAX);
  readonly generation: Float64Array = new Float64Array(BATCH_MAX);
  readonly reset: Float64Array = new Float64Array(BATCH_MAX);
  readonly place: Float64Array = new Float64Array(BATCH_MAX);
  readonly hits: Float64Array = new Float64Array(BATCH_MAX);
  readonly refunds: Float64Array = new Float64Array(BATCH_MAX);
  readonly refusals: Float64Array = new Float64Array(BATCH_MAX);
  /** After `sort`: the places of the components in the columns, in the order of fingerprints. */
  readonly order: Uint16Array = new Uint16Array(BATCH_MAX);

  readonly #sortable = new Float64Array(BATCH_MAX);

  get isFull(): boolean {
    return this.size === BATCH_MAX;
  }

  clear(): void {
    this.size = 0;
  }

  /** Takes a copy of a component, with so much added to its place. Needs a batch that is not full. */
  add(component: Readonly<Component>, laterMs = 0): void {
    const at = this.size++;
    this.low[at] = component.low;
    this.high[at] = component.high;
    this.opener[at] = component.opener;
    this.generation[at] = component.generation;
    this.reset[at] = component.reset;
    this.place[at] = component.place + laterMs;
    this.hits[at] = component.hits;
    this.refunds[at] = component.refunds;
    this.refusals[at] = component.refusals;
  }

  /** Orders by fingerprint, as unsigned numbers; components of one key keep their order. */
  sort(): void {
    const { size, order, high } = this;
    const sortable = this.#sortable.subarray(0, size);
    // The upper half and the place fit one double, and doubles are sorted without a callback.
    for (let at = 0; at < size; at++) sortable[at] = (high[at]! >>> 0) * INDEX_RANGE + at;
    sortable.sort();
    for (let rank = 0; rank < size; rank++) order[rank] = sortable[rank]! % INDEX_RANGE;
    for (let rank = 1; rank < size; rank++) this.#sink(rank);
  }

  /** Puts a component before those with the same upper and a larger lower half. */
  #sink(rank: number): void {
    const { order, low, high } = this;
    const moved = order[rank]!;
    let to = rank;
    while (to > 0) {
      const before = order[to - 1]!;
      if (high[before] !== high[moved] || low[before]! >>> 0 <= low[moved]! >>> 0) break;
      order[to--] = before;
    }
    order[to] = moved;
  }
}

/** The difference of two fingerprints in order, as a number that may have lost its lowest bits. */
export function roughGap(fromLow: number, fromHigh: number, low: number, high: number): number {
  return ((high >>> 0) - (fromHigh >>> 0)) * TWO_32 + ((low >>> 0) - (fromLow >>> 0));
}
