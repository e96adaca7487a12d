/**
 * The background for tests: it runs when a test runs it, and time passes only as a test says.
 */

import { vi } from "vitest";

const TURNS_MAX = 10_000;

/** Takes over turns and time until `endBackground`. */
export function holdBackground(now: () => number): void {
  vi.useFakeTimers({ toFake: ["setImmediate", "clearImmediate"] });
  vi.spyOn(performance, "now").mockImplementation(now);
}

/** Does all waiting work; returns how many turns that took. */
export function runAll(): number {
  let turns = 0;
  for (; vi.getTimerCount() > 0 && turns < TURNS_MAX; turns++) vi.runOnlyPendingTimers();
  return turns;
}

export function endBackground(): void {
  runAll();
  vi.restoreAllMocks();
  vi.useRealTimers();
}
