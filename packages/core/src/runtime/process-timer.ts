/**
 * One slow timer for the whole process, for work without a deadline.
 *
 * It exists only while some work uses it, and never keeps the process alive. Without it nothing
 * breaks: idle limiters only use memory for longer. To wake a process costs more than the work that
 * is then done, so the timer fires less often while all works are idle. If the works of many
 * limiters do not fit one turn of the event loop, the rest runs in the background.
 */

import { doInBackground } from "./background.ts";
import { sharedState } from "./copies.ts";

/** The time between two beats, and between two beats while all works were idle. */
export const BEAT_MS = 1_000;
const IDLE_BEAT_MS = 4_000;
/** How much of the turn in which the timer fires the beats may take. */
const AT_ONCE_MS = 3;

/** How long one beat may take. */
const BEAT_TAKES_MS = 3;

/**
 * Does some work while `hasTime` returns true; returns whether there was something to do, or that
 * it is done.
 */
export type Beat = (hasTime: () => boolean) => "busy" | "idle" | "done";

interface Pulse {
  readonly beats: Set<Beat>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const pulse = sharedState("pulse", (): Pulse => ({ beats: new Set(), timer: undefined }));

/** Calls `beat` every second, or every few when all are idle, until it is done or leaves. */
export function joinProcessTimer(beat: Beat): void {
  pulse.beats.add(beat);
  if (pulse.timer === undefined) wait(BEAT_MS);
}

/** Stops calling `beat`. */
export function leaveProcessTimer(beat: Beat): void {
  pulse.beats.delete(beat);
  if (pulse.beats.size > 0 || pulse.timer === undefined) return;
  clearTimeout(pulse.timer);
  pulse.timer = undefined;
}

function wait(delayMs: number): void {
  pulse.timer = setTimeout(beatAll, delayMs);
  pulse.timer.unref();
}

function beatAll(): void {
  const ended = pulse.timer;
  const due = Array.from(pulse.beats).reverse();
  let delayMs = IDLE_BEAT_MS;
  const beatFor = (forMs: number): boolean => {
    const endMs = performance.now() + forMs;
    for (let beat = due.pop(); beat !== undefined; beat = due.pop()) {
      const beatEndMs = performance.now() + BEAT_TAKES_MS;
      const hasTime = (): boolean => performance.now() < beatEndMs;
      const state = pulse.beats.has(beat) ? beat(hasTime) : "idle";
      if (state === "done") pulse.beats.delete(beat);
      else if (state === "busy") delayMs = BEAT_MS;
      if (due.length > 0 && performance.now() >= endMs) return true;
    }
    if (pulse.timer === ended) pulse.timer = undefined;
    if (pulse.beats.size > 0 && pulse.timer === undefined) wait(delayMs);
    return false;
  };
  if (beatFor(AT_ONCE_MS)) doInBackground(beatFor);
}
