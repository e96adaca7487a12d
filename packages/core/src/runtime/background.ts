/**
 * Long work of the whole process, a few milliseconds in every turn of the event loop.
 *
 * However much there is to do, and for however many clusters and limiters, requests wait no longer
 * than this in one turn. What waits takes turns within that time. It keeps the process awake while
 * there is some, as whatever has been begun is to be ended.
 */

import { sharedState } from "./copies.ts";

/** How much of each turn may go by, and how much of it each work gets at least. */
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

/** Has some work done from the next turn on, until it is done. */
export function doInBackground(work: Work): void {
  background.waiting.add(work);
  // Where tests have replaced the timers, what was asked of the others may never come.
  if (background.turn === undefined || background.schedule !== setImmediate) nextTurn();
}

/** Leaves the rest of some work undone. */
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
    // Whoever has had its share waits behind those who have not.
    if (background.waiting.delete(work) && isUnfinished) background.waiting.add(work);
  }
  if (background.waiting.size > 0 && background.turn === undefined) nextTurn();
}
