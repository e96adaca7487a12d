/**
 * How long checks took while something went wrong, beside how long they took before.
 *
 * With `TIDEGATE_TIMINGS` set, each scenario prints what the tables in docs/internals/outages.md
 * are made of. Nothing is judged by it: how long a check takes beside other processes is for the
 * scheduler to say.
 */

import type { TrafficFigures } from "@tidegate/testkit";

export const isTimed: boolean = process.env["TIDEGATE_TIMINGS"] !== undefined;

export interface Timings {
  readonly title: string;
  readonly before: readonly TrafficFigures[];
  readonly after: readonly TrafficFigures[];
  /** From the last hit until all saw the same. */
  readonly settledMs: number;
}

export function recordTimings({ title, before, after, settledMs }: Timings): void {
  if (!isTimed) return;
  const checks = after.reduce((sum, figures) => sum + figures.checks, 0);
  const cells = [title, before.length, checks];
  const line = [...cells, ...timesOf(before), ...timesOf(after), Math.round(settledMs)].join(" | ");
  process.stdout.write(`| ${line} |\n`);
}

/** Of the process that fared worst. */
function timesOf(figures: readonly TrafficFigures[]): string[] {
  const most = (of: (each: TrafficFigures) => number): number => Math.max(...figures.map(of));
  return [
    most(({ p99Us }) => p99Us).toFixed(1),
    most(({ longestAloneMs }) => longestAloneMs).toFixed(1),
    most(({ longestMs }) => longestMs).toFixed(1),
    most(({ longestPauseMs }) => longestPauseMs).toFixed(0),
  ];
}
