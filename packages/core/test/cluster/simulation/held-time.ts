/**
 * The time of the whole process, held and let pass by a test.
 *
 * It replaces vitest's fake timers in tests with thousands of frames on their way: those look
 * through all timers for each one that fires. If time is not held in this way, passing it is left
 * to vitest, so code that sets clusters up can serve tests of both kinds.
 */

import { vi } from "vitest";
import { SimulatedTime } from "./simulated-time.ts";

const ASYNC_STEPS = 100;

/** The real one, from before time is held. */
const nextTurn = setImmediate;

let held: SimulatedTime | undefined;

/** @param startMs since 1970 */
export function holdTime(startMs: number): void {
  held = new SimulatedTime(startMs);
  held.install();
}

export function releaseTime(): void {
  held = undefined;
  vi.unstubAllGlobals();
}

export function passTime(ms: number): void {
  if (held === undefined) vi.advanceTimersByTime(ms);
  else held.advance(ms);
}

/** Lets pending promises go on meanwhile. */
export async function passTimeAsync(ms: number): Promise<void> {
  for (let step = 0; step < ASYNC_STEPS; step++) {
    passTime(ms / ASYNC_STEPS);
    await new Promise((resolve) => nextTurn(resolve));
  }
}
