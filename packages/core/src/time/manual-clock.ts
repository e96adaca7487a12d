/**
 * A clock for tests that moves only when the test moves it.
 *
 * It keeps exactly the given time, fractions included, and may be set back. Tests check how a
 * limiter reacts to such readings.
 */

import { invalidOption } from "../base/options.ts";
import type { Clock } from "./clock.ts";

/** A clock whose time the test decides. */
export interface ManualClock extends Clock {
  /** Lets `ms` pass: zero or more, fractions allowed. */
  advance(ms: number): void;
  /** Jumps to `ms`, which may lie in the past. */
  set(ms: number): void;
}

/**
 * Creates a clock that stands at `startMs`.
 *
 * @example
 * const clock = manualClock();
 * const policy = fixedWindow({ limit: 1, windowMs: 1_000 });
 * const limiter = createLimiter({ name: "example", policy, clock });
 * limiter.check("ada").allowed; // true
 * limiter.check("ada").allowed; // false
 * clock.advance(1_000);
 * limiter.check("ada").allowed; // true
 */
export function manualClock(startMs = 0): ManualClock {
  let nowMs = finite("startMs", startMs);
  return Object.freeze({
    now: (): number => nowMs,
    advance: (ms: number): void => {
      if (!(finite("ms", ms) >= 0)) throw invalidOption("ms", "at least 0 (set() goes back)", ms);
      nowMs = finite("ms", nowMs + ms);
    },
    set: (ms: number): void => {
      nowMs = finite("ms", ms);
    },
  });
}

function finite(option: string, value: unknown): number {
  if (Number.isFinite(value)) return value as number;
  throw invalidOption(option, "a finite number of milliseconds", value);
}
