/**
 * At most `limit` hits in any stretch of `windowMs`, counted in slots.
 *
 * The window slides: only the part of the oldest slot that is still inside counts. So in any span
 * of one window, a client gets at most the limit and the hits of that one slot. The memory per key
 * is fixed. With even traffic the error is at most limit ÷ slots.
 */

import {
  durationMs,
  flag,
  invalidOption,
  knownOptions,
  missingOption,
  wholeNumber,
} from "../base/options.ts";
import { type CommonPolicyOptions, makePolicy, policyName } from "./policy.ts";

const SLOTS_DEFAULT = 12;
const SLOTS_MAX = 1_000;

export interface SlidingWindowOptions extends CommonPolicyOptions {
  /** Hits allowed in any stretch of one window; 0 refuses everything. */
  readonly limit: number;
  /** How long the window is. */
  readonly windowMs: number;
  /**
   * The number of slots in a window; it must divide `windowMs`. More slots are more exact and take
   * more memory, 4 bytes each and key.
   *
   * @default 12, or the largest number below that divides `windowMs`
   */
  readonly slots?: number | undefined;
  /**
   * Counts refused hits as well, so that a client which keeps trying keeps being refused.
   *
   * @default false
   */
  readonly countRefused?: boolean | undefined;
}

export interface SlidingWindowPolicy {
  readonly kind: "slidingWindow";
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly slots: number;
  readonly countRefused: boolean;
}

/**
 * Allows `limit` hits in any stretch of `windowMs`.
 *
 * @example
 * slidingWindow({ limit: 100, windowMs: MINUTE });
 */
export function slidingWindow(options: SlidingWindowOptions): SlidingWindowPolicy {
  knownOptions("slidingWindow", options, ["name", "limit", "windowMs", "slots", "countRefused"]);
  const { limit, windowMs, countRefused = false } = options;
  if (limit === undefined) throw missingOption("slidingWindow", "limit", "how many hits");
  if (windowMs === undefined) {
    throw missingOption("slidingWindow", "windowMs", "how long the window is");
  }
  const width = durationMs("windowMs", windowMs);
  return makePolicy<SlidingWindowPolicy>({
    kind: "slidingWindow",
    name: policyName("slidingWindow", options.name),
    limit: wholeNumber("limit", limit, 0),
    windowMs: width,
    slots: slotsOf(options.slots, width),
    countRefused: flag("countRefused", countRefused),
  });
}

function slotsOf(given: number | undefined, windowMs: number): number {
  if (given !== undefined) {
    const slots = wholeNumber("slots", given, 1, SLOTS_MAX);
    if (windowMs % slots === 0) return slots;
    throw invalidOption(
      "slots",
      `a divisor of windowMs (${windowMs}), so that slots are whole`,
      given,
    );
  }
  let slots = SLOTS_DEFAULT;
  while (windowMs % slots !== 0) slots--;
  return slots;
}
