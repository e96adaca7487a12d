/**
 * A claim held against the one figure that it is judged by.
 */

import type { Reading } from "./reading.ts";

export type TargetStatus = "ok" | "missed" | "not measured";

export interface TargetResult {
  readonly claim: string;
  readonly unit: string;
  /** The figure that is judged; absent if nothing was measured. */
  readonly measured?: number;
  readonly status: TargetStatus;
  readonly note?: string;
}

export function atLeast(
  bound: number,
  unit: string,
  claim: string,
  reading: Reading | undefined,
): TargetResult {
  return judged(claim, unit, reading, (value) => value >= bound);
}

export function atMost(
  bound: number,
  unit: string,
  claim: string,
  reading: Reading | undefined,
): TargetResult {
  return judged(claim, unit, reading, (value) => value <= bound);
}

function judged(
  claim: string,
  unit: string,
  reading: Reading | undefined,
  holds: (value: number) => boolean,
): TargetResult {
  if (reading === undefined) return { claim, unit, status: "not measured" };
  const { value, note } = reading;
  return { claim, unit, measured: value, status: holds(value) ? "ok" : "missed", note };
}
