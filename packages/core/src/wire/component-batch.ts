/**
 * Counts on their way into frames, in columns, so that thousands need no objects.
 *
 * They are sorted by fingerprint before they are written: neighbours in a sorted list differ by
 * little, and a small difference takes few bytes.
 */

import type { Component } from "../crdt/component.ts";

/** More do not fit a frame anyway. */
export const BATCH_MAX = 8_192;
/** What it has room for at first: most deltas have few counts. */
const FIRST_ROWS = 128;

const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;

export class ComponentBatch {
  size = 0;
  low: Int32Array = new Int32Array(FIRST_ROWS);
  high: Int32Array = new Int32Array(FIRST_ROWS);
  opener: Uint16Array = new Uint16Array(FIRST_ROWS);
  generation: Float64Array = new Float64Array(FIRST_ROWS);
  reset: Float64Array = new Float64Array(FIRST_ROWS);
  period: Float64Array = new Float64Array(FIRST_ROWS);
  hits: Float64Array = new Float64Array(FIRST_ROWS);
  refunds: Float64Array = new Float64Array(FIRST_ROWS);
  refusals: Float64Array = new Float64Array(FIRST_ROWS);
  /** After `sort`: the rows of the columns, in the order of fingerprints. */
  order: Uint16Array = new Uint16Array(FIRST_ROWS);

  #spare = new Uint16Array(FIRST_ROWS);
  readonly #starts = new Uint16Array(DIGITS);

  get isFull(): boolean {
    return this.size === BATCH_MAX;
  }

  clear(): void {
    this.size = 0;
  }

  /** Adds a copy of a component, with `laterMs` added to its period. The batch must not be full. */
  add(component: Readonly<Component>, laterMs = 0): void {
    const at = this.size++;
    if (at === this.low.length) this.#grow(2 * at);
    this.low[at] = component.low;
    this.high[at] = component.high;
    this.opener[at] = component.opener;
    this.generation[at] = component.generation;
    this.reset[at] = component.reset;
    this.period[at] = component.period + laterMs;
    this.hits[at] = component.hits;
    this.refunds[at] = component.refunds;
    this.refusals[at] = component.refusals;
  }

  /**
   * Sorts by fingerprint as unsigned numbers; counts of one key keep their order. The upper half is
   * sorted digit by digit, the lowest first: that takes 60 µs for a full batch and 4 µs for one count.
   */
  sort(): void {
    const { size, order } = this;
    for (let at = 0; at < size; at++) this.#spare[at] = at;
    this.#sortByDigit(this.#spare, order, 0);
    this.#sortByDigit(order, this.#spare, DIGIT_BITS);
    this.#sortByDigit(this.#spare, order, 2 * DIGIT_BITS);
    for (let rank = 1; rank < size; rank++) this.#sink(rank);
  }

  #grow(rows: number): void {
    this.low = grown(this.low, new Int32Array(rows));
    this.high = grown(this.high, new Int32Array(rows));
    this.opener = grown(this.opener, new Uint16Array(rows));
    this.generation = grown(this.generation, new Float64Array(rows));
    this.reset = grown(this.reset, new Float64Array(rows));
    this.period = grown(this.period, new Float64Array(rows));
    this.hits = grown(this.hits, new Float64Array(rows));
    this.refunds = grown(this.refunds, new Float64Array(rows));
    this.refusals = grown(this.refusals, new Float64Array(rows));
    this.order = new Uint16Array(rows);
    this.#spare = new Uint16Array(rows);
  }

  #sortByDigit(from: Uint16Array, to: Uint16Array, shift: number): void {
    const { size, high } = this;
    const starts = this.#starts.fill(0);
    for (let at = 0; at < size; at++) starts[(high[at]! >>> shift) & (DIGITS - 1)]!++;
    let start = 0;
    for (let digit = 0; digit < DIGITS; digit++) {
      const count = starts[digit]!;
      starts[digit] = start;
      start += count;
    }
    for (let rank = 0; rank < size; rank++) {
      const at = from[rank]!;
      const digit = (high[at]! >>> shift) & (DIGITS - 1);
      to[starts[digit]!++] = at;
    }
  }

  /** Moves a component before those with the same upper and a larger lower half. */
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

function grown<Column extends Int32Array | Uint16Array | Float64Array>(
  from: Column,
  to: Column,
): Column {
  to.set(from);
  return to;
}
