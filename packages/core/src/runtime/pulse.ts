/**
 * One slow timer for the whole process, for work that nobody waits for.
 *
 * It exists only while something wants it, and never keeps the process alive. Nothing is wrong
 * without it: memory of idle limiters just stays in use longer. To wake a process costs more than
 * what is done then, so it wakes less often while nobody asks anything. Of many limiters, those that
 * do not fit one turn of the event loop are left to the background.
 */

import { doInBackground } from "./background.ts";

/** How far apart beats are, and how far apart when all were idle the last time. */
export const BEAT_MS = 1_000;
const IDLE_BEAT_MS = 4_000;
/** How much of the turn in which the timer ends beats may take. */
const AT_ONCE_MS = 3;

/** Does a bounded piece of work; says whether anything went on since the last one, or that it is done. */
export type Beat = () => "busy" | "idle" | "done";

const beats = new Set<Beat>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Calls `beat` every second, or every few when all are idle, until it is done or leaves. */
export function joinPulse(beat: Beat): void {
  beats.add(beat);
  if (timer === undefined) wait(BEAT_MS);
}

/** Stops calling `beat`. */
export function leavePulse(beat: Beat): void {
  beats.delete(beat);
  if (beats.size > 0 || timer === undefined) return;
  clearTimeout(timer);
  timer = undefined;
}

function wait(delayMs: number): void {
  timer = setTimeout(beatAll, delayMs);
  timer.unref();
}

function beatAll(): void {
  const ended = timer;
  const due = Array.from(beats).reverse();
  let delayMs = IDLE_BEAT_MS;
  const beatFor = (forMs: number): boolean => {
    const endMs = performance.now() + forMs;
    for (let beat = due.pop(); beat !== undefined; beat = due.pop()) {
      const state = beats.has(beat) ? beat() : "idle";
      if (state === "done") beats.delete(beat);
      else if (state === "busy") delayMs = BEAT_MS;
      if (due.length > 0 && performance.now() >= endMs) return true;
    }
    if (timer === ended) timer = undefined;
    if (beats.size > 0 && timer === undefined) wait(delayMs);
    return false;
  };
  if (beatFor(AT_ONCE_MS)) doInBackground(beatFor);
}
