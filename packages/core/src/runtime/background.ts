/**
 * Long work of the whole process, a few milliseconds in every turn of the event loop.
 *
 * Requests wait no longer than this in one turn, for any amount of work and any number of clusters
 * and limiters. Works that wait share that time in turn. While work waits, the process stays awake,
 * so that everything that was begun ends.
 */

import { sharedState } from "./copies.ts";

/** How much of each turn the background takes, and how much each work gets at least. */
const TURN_MS = 2;
const SHARE_MS_MIN = 0.5;

/** Goes on for so many milliseconds, or a little longer; returns whether there is more to do. */
export type Work = (forMs: number) => boolean;

interface Background {
  readonly waiting: Set<Work>;
  turn: ReturnType<typeof setImmediate> | undefined;
  schedule: typeof setImmediate | undefined;
}

const background = sharedState("background", (): Background => {
  return { waiting: new Set(), turn: undefined, schedule: undefined };
});

/** Runs a work from the next turn on, until it is done. */
export function doInBackground(work: Work): void {
  background.waiting.add(work);
  // If a test has replaced the timers, a turn requested from the others may never come.
  if (background.turn === undefined || background.schedule !== setImmediate) nextTurn();
}

/** Drops the rest of a work. */
export function leaveUndone(work: Work): void {
  background.waiting.delete(work);
}

function nextTurn(): void {
  background.schedule = setImmediate;
  background.turn = setImmediate(takeTurn);
}

function takeTurn(): void {
  background.turn = undefined;
  const endMs = performance.now() + TURN_MS;
  let left = background.waiting.size;
  for (const work of Array.from(background.waiting)) {
    const leftMs = endMs - performance.now();
    const isUnfinished = work(Math.max(SHARE_MS_MIN, leftMs / left));
    left--;
    // A work that had its share goes behind those that had none yet.
    if (background.waiting.delete(work) && isUnfinished) background.waiting.add(work);
  }
  if (background.waiting.size > 0 && background.turn === undefined) nextTurn();
}
