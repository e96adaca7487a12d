/**
 * How many hits of one key were allowed in each window, over several processes.
 *
 * A process reports of each hit when it was allowed and how long its window then had to go. This
 * tells the windows apart, whichever process opened them: all clocks are of one machine.
 */

import type { TrafficFigures } from "@tidegate/testkit";

/** Ends of one window as different processes see them lie closer together than this. */
const APART_MS = 300;

export interface Admitted {
  readonly endsAtMs: number;
  readonly hits: number;
}

/** What was allowed in each window, the earliest first. */
export function admittedByWindow(figures: readonly TrafficFigures[]): Admitted[] {
  const ends = figures
    .flatMap(({ admissions }) => admissions.map(([atMs, resetMs]) => atMs + resetMs))
    .sort((one, other) => one - other);
  const windows: { endsAtMs: number; hits: number }[] = [];
  for (const endsAtMs of ends) {
    const last = windows.at(-1);
    if (last === undefined || endsAtMs - last.endsAtMs > APART_MS) {
      windows.push({ endsAtMs, hits: 1 });
    } else {
      last.endsAtMs = endsAtMs;
      last.hits++;
    }
  }
  return windows;
}

/** What was allowed in all. */
export function admitted(figures: readonly TrafficFigures[]): number {
  return figures.reduce((sum, { admissions }) => sum + admissions.length, 0);
}

/**
 * What may be allowed beyond a limit because frames take time: what is offered to all processes
 * meanwhile. Each of them may have waited for its turn as well, as long as it reports.
 *
 * @param newsMs how long a hit may be unknown to others on its side, when no process waits for a
 *   turn
 */
export function staleHits(
  figures: readonly TrafficFigures[],
  perSecond: number,
  newsMs: number,
): number {
  const pauseMs = Math.max(...figures.map(({ longestPauseMs }) => longestPauseMs));
  return Math.ceil((figures.length * perSecond * (newsMs + 2 * pauseMs)) / 1_000);
}
