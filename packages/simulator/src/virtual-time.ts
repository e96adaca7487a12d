/**
 * The true time of a simulation, and what is to happen when.
 *
 * What is due at one time happens in the order in which it was planned. Nothing here is global: a
 * test can run several simulations beside each other.
 */

/** Something that is planned. */
export interface Planned {
  readonly atMs: number;
  /** Does not happen. */
  cancel(): void;
}

class Entry implements Planned {
  readonly atMs: number;
  readonly order: number;
  act: (() => void) | undefined;

  constructor(atMs: number, order: number, act: () => void) {
    this.atMs = atMs;
    this.order = order;
    this.act = act;
  }

  cancel(): void {
    this.act = undefined;
  }
}

export class VirtualTime {
  /** Milliseconds since the simulation began; they have fractions. */
  nowMs = 0;
  /** How many things have happened. */
  steps = 0;
  readonly #heap: Entry[] = [];
  #order = 0;

  /** Plans something; not before now. */
  at(atMs: number, act: () => void): Planned {
    const entry = new Entry(Math.max(atMs, this.nowMs), this.#order++, act);
    this.#insert(entry);
    return entry;
  }

  after(ms: number, act: () => void): Planned {
    return this.at(this.nowMs + ms, act);
  }

  /** Lets so much time pass, and what is planned in it happen. */
  pass(ms: number): void {
    const endMs = this.nowMs + ms;
    while (this.next(endMs));
    this.nowMs = endMs;
  }

  /** Lets the next thing happen, if it is due by a time; returns whether there was one. */
  next(untilMs: number = Number.POSITIVE_INFINITY): boolean {
    for (let entry = this.#heap[0]; entry !== undefined; entry = this.#heap[0]) {
      if (entry.act !== undefined && entry.atMs > untilMs) return false;
      this.#remove();
      if (entry.act === undefined) continue;
      this.nowMs = entry.atMs;
      this.steps++;
      entry.act();
      return true;
    }
    return false;
  }

  // ── A heap: each entry is due no later than those below it ───────────────────────────────────

  #insert(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(entry, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = entry;
  }

  #remove(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    const { length } = heap;
    if (length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= length) break;
      if (below + 1 < length && isBefore(heap[below + 1]!, heap[below]!)) below++;
      if (!isBefore(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
  }
}

function isBefore(left: Entry, right: Entry): boolean {
  return left.atMs === right.atMs ? left.order < right.order : left.atMs < right.atMs;
}
