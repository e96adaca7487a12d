/**
 * How many hits of one key passed in each window, over several processes.
 *
 * A process says of each hit when it passed and how long its window then had to go, which tells the
 * windows apart whoever opened them: all clocks are of one machine.
 */

import type { TrafficFigures } from "@tidegate/testkit";

/** Ends of one window as different processes see them lie closer together than this. */
const APART_MS = 300;

export interface Admitted {
  readonly endsAtMs: number;
  readonly hits: number;
}

/** What passed in each window, the earliest first. */
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

/** What passed in all. */
export function admitted(figures: readonly TrafficFigures[]): number {
  return figures.reduce((sum, { admissions }) => sum + admissions.length, 0);
}

/**
 * What may pass beyond a limit because news takes time: what all are offered while it does. Each of
 * them may have waited for its turn besides, as long as it says.
 *
 * @param newsMs how long a hit may be unknown to others on its side, when nobody waits for a turn
 */
export function staleHits(
  figures: readonly TrafficFigures[],
  perSecond: number,
  newsMs: number,
): number {
  const pauseMs = Math.max(...figures.map(({ longestPauseMs }) => longestPauseMs));
  return Math.ceil((figures.length * perSecond * (newsMs + 2 * pauseMs)) / 1_000);
}
