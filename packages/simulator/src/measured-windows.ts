/**
 * The windows of a run, and what was offered and admitted in each.
 *
 * Replicas may expect the end of one fixed window at slightly different times, and each window
 * opens with a hit. So hits belong together whose windows end at about the same time. Policies that
 * slide have no windows of their own, and get spans of that length, one after the other.
 */

import type { Policy } from "@tidegate/core";

export interface MeasuredWindow {
  readonly key: string;
  readonly endMs: number;
  offered: number;
  admitted: number;
  /** What an exact limiter admits of the same hits. */
  due: number;
}

export interface MeasuredHit {
  readonly key: string;
  readonly atMs: number;
  /** When its window ends, as the replica sees it. */
  readonly endMs: number;
  readonly isAllowed: boolean;
  /** Whether an exact limiter allows it. */
  readonly isDue: boolean;
}

export interface WindowBookOptions {
  readonly policy: Policy;
  readonly limit: number;
  readonly windowMs: number;
  /** Where measuring begins; windows that opened before are left out. */
  readonly startMs: number;
  /** How many windows long it lasts; windows that end later are left out. */
  readonly windows: number;
}

export class WindowBook {
  readonly #options: WindowBookOptions;
  /** Of each key, in the order in which they were seen. */
  readonly #windows = new Map<string, MeasuredWindow[]>();

  constructor(options: WindowBookOptions) {
    this.#options = options;
  }

  add(hit: MeasuredHit): void {
    const window = this.#windowOf(hit);
    window.offered++;
    if (hit.isAllowed) window.admitted++;
    if (hit.isDue) window.due++;
  }

  /** The windows that were measured as a whole. */
  windows(): MeasuredWindow[] {
    const { startMs, windowMs, windows, limit } = this.#options;
    // Some hits of a window that opened half a window before the start may have come before it.
    const leastMs = startMs + windowMs - (this.#isFixed ? 0 : windowMs / 2);
    const mostMs = startMs + (windows + 1) * windowMs - windowMs / 2;
    const whole = Array.from(this.#windows.values())
      .flat()
      .filter(({ endMs }) => endMs >= leastMs && endMs <= mostMs);
    if (!this.#isFixed) return whole;
    // The windows of an exact limiter begin at other times; in these it would admit the limit.
    return whole.map((window) => ({ ...window, due: Math.min(limit, window.offered) }));
  }

  get #isFixed(): boolean {
    return this.#options.policy.kind === "fixedWindow";
  }

  #windowOf({ key, atMs, endMs }: MeasuredHit): MeasuredWindow {
    const { startMs, windowMs } = this.#options;
    const spanEndMs = startMs + (Math.floor((atMs - startMs) / windowMs) + 1) * windowMs;
    const ownEndMs = this.#isFixed ? endMs : spanEndMs;
    let windows = this.#windows.get(key);
    if (windows === undefined) {
      windows = [];
      this.#windows.set(key, windows);
    }
    for (let at = windows.length - 1; at >= 0 && at >= windows.length - 2; at--) {
      if (Math.abs(windows[at]!.endMs - ownEndMs) < windowMs / 2) return windows[at]!;
    }
    const window = { key, endMs: ownEndMs, offered: 0, admitted: 0, due: 0 };
    windows.push(window);
    return window;
  }
}
