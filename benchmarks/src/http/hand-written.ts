/**
 * The limiter that one would write by hand for one process: a Map with a window for each address.
 *
 * It does the work of tidegate as far as a request shows it: addresses become keys in the same way, so
 * that nobody escapes by writing his differently or by having a network of them. What it lacks is all
 * that a request does not show: it never forgets a key, and knows of no other process.
 */

import { addressKey } from "@tidegate/core/http";
import { LIMIT, WINDOW_MS } from "./site.ts";

/** What was counted of one address. */
export interface HandWindow {
  used: number;
  readonly resetTime: Date;
  readonly resetSeconds: string;
}

/** Counts by address; the window of this request is returned, or null without an address. */
export class HandWritten {
  readonly #windows = new Map<string, HandWindow>();
  readonly #subnet: number;

  constructor(subnet: number) {
    this.#subnet = subnet;
  }

  keyOf(address: string | undefined): string | null {
    return address === undefined ? null : addressKey(address, this.#subnet);
  }

  count(key: string): HandWindow {
    const now = Date.now();
    let window = this.#windows.get(key);
    if (window === undefined || window.resetTime.getTime() <= now) {
      const resetMs = now + WINDOW_MS;
      const resetSeconds = String(Math.ceil(resetMs / 1_000));
      window = { used: 0, resetTime: new Date(resetMs), resetSeconds };
      this.#windows.set(key, window);
    }
    window.used++;
    return window;
  }
}

export function remainingOf({ used }: HandWindow): number {
  return Math.max(0, LIMIT - used);
}

export const REFUSAL = "Too many requests, please try again later.";
export const LIMIT_TEXT: string = String(LIMIT);
