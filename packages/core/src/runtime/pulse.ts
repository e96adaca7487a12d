/**
 * One slow timer for the whole process, for work that nobody waits for.
 *
 * It exists only while something wants it, and never keeps the process alive. Nothing is wrong
 * without it: memory of idle limiters just stays in use longer. To wake a process costs more than
 * what is done then, so it wakes less often while nobody asks anything.
 */

/** How far apart beats are, and how far apart when all were idle the last time. */
export const BEAT_MS = 1_000;
const IDLE_BEAT_MS = 4_000;

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
  timer = undefined;
  let delayMs = IDLE_BEAT_MS;
  for (const beat of beats) {
    const state = beat();
    if (state === "done") beats.delete(beat);
    else if (state === "busy") delayMs = BEAT_MS;
  }
  if (beats.size > 0 && timer === undefined) wait(delayMs);
}
