/**
 * Time that passes when a test says so, made for histories with thousands of frames on their way:
 * what is due next is found without looking at all that will be.
 *
 * Timers fire in the order of their times and, of one time, in the order in which they were set;
 * before the next one, all that was put off with `setImmediate` is done, as in a process. Work
 * takes no time unless it calls `spend`, or in a slow turn, in which each look at the time takes a
 * while: work that is done in slices is cut then. Timers fire late where work takes time, as in a
 * process whose event loop is busy.
 */

import { vi } from "vitest";

class Timer {
  atMs: number;
  readonly order: number;
  readonly everyMs: number | undefined;
  call: (() => void) | undefined;

  constructor(atMs: number, order: number, everyMs: number | undefined, call: () => void) {
    this.atMs = atMs;
    this.order = order;
    this.everyMs = everyMs;
    this.call = call;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** Node counts no time below this. */
const LEAST_MS = 1;

/** What a look at the time takes in a slow turn. */
const LOOK_MS = 0.75;

export class SimulatedTime {
  nowMs = 0;
  /** Whether the turn that begins is slow. */
  isNextSlow: () => boolean = () => false;
  #lookMs = 0;
  readonly #startMs: number;
  readonly #heap: Timer[] = [];
  #immediates: Timer[] = [];
  #order = 0;

  /** @param startMs since 1970 */
  constructor(startMs: number) {
    this.#startMs = startMs;
  }

  /** Makes this the time of the whole process, until `vi.unstubAllGlobals`. */
  install(): void {
    const put = (call: () => void, afterMs = 0, everyMs?: number): Timer =>
      this.#add(this.nowMs + Math.max(LEAST_MS, afterMs), everyMs, call);
    const end = (timer: Timer | undefined): void => {
      if (timer !== undefined) timer.call = undefined;
    };
    const startMs = this.#startMs;
    vi.stubGlobal("setTimeout", (call: () => void, afterMs?: number) => put(call, afterMs));
    vi.stubGlobal("setInterval", (call: () => void, ms: number) => put(call, ms, ms));
    vi.stubGlobal("setImmediate", (call: () => void) => this.#putOff(call));
    for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) {
      vi.stubGlobal(name, end);
    }
    const look = (): number => {
      this.nowMs += this.#lookMs;
      return this.nowMs;
    };
    vi.stubGlobal("performance", { now: look });
    vi.stubGlobal("Date", { now: () => startMs + Math.floor(this.nowMs) });
  }

  advance(ms: number): void {
    const endMs = this.nowMs + ms;
    this.#doImmediates(endMs);
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= endMs; next = this.#heap[0]) {
      this.#remove();
      const { call, everyMs } = next;
      if (call === undefined) continue;
      this.nowMs = Math.max(this.nowMs, next.atMs);
      if (everyMs !== undefined) {
        next.atMs = this.nowMs + everyMs;
        this.#insert(next);
      }
      this.#turn(call);
      // Timers that are late fire one after the other.
      if (!this.#isLate()) this.#doImmediates(endMs);
    }
    this.nowMs = Math.max(this.nowMs, endMs);
  }

  /** Lets the code that runs now take so long. */
  spend(ms: number): void {
    this.nowMs += ms;
  }

  #turn(call: () => void): void {
    this.#lookMs = this.isNextSlow() ? LOOK_MS : 0;
    call();
    this.#lookMs = 0;
  }

  #putOff(call: () => void): Timer {
    const timer = new Timer(this.nowMs, this.#order++, undefined, call);
    this.#immediates.push(timer);
    return timer;
  }

  #add(atMs: number, everyMs: number | undefined, call: () => void): Timer {
    const timer = new Timer(atMs, this.#order++, everyMs, call);
    this.#insert(timer);
    return timer;
  }

  #isLate(): boolean {
    return this.#heap[0] !== undefined && this.#heap[0].atMs < this.nowMs;
  }

  /**
   * Does what was put off, until nothing is left or work has taken so long that something else is
   * due.
   */
  #doImmediates(endMs: number): void {
    const startMs = this.nowMs;
    while (this.#immediates.length > 0) {
      const put = this.#immediates;
      this.#immediates = [];
      for (const { call } of put) if (call !== undefined) this.#turn(call);
      const dueAtMs = Math.min(endMs, this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY);
      if (this.nowMs > startMs && this.nowMs >= dueAtMs) return;
    }
  }

  // ── A heap: each timer is due no later than those below it ───────────────────────────────────

  #insert(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(timer, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = timer;
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

function isBefore(left: Timer, right: Timer): boolean {
  return left.atMs === right.atMs ? left.order < right.order : left.atMs < right.atMs;
}
