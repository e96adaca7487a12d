/**
 * A wait in words, as the bodies of refusals have it: its largest unit, rounded.
 */

import { DAY, HOUR, MINUTE, SECOND } from "../../durations.ts";

const UNITS: readonly (readonly [string, number])[] = [
  ["day", DAY],
  ["hour", HOUR],
  ["minute", MINUTE],
  ["second", SECOND],
];

/** `1 minute`, `2 hours`, `350 ms`: the plural from one and a half on. */
export function durationText(ms: number): string {
  for (const [name, unitMs] of UNITS) {
    if (ms >= unitMs) return `${Math.round(ms / unitMs)} ${name}${ms >= 1.5 * unitMs ? "s" : ""}`;
  }
  return `${ms} ms`;
}
