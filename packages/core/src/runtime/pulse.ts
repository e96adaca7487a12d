/**
 * One slow timer for the whole process, for work that nobody waits for.
 *
 * It exists only while something wants it, and never keeps the process alive. Nothing is wrong
 * without it: memory of idle limiters just stays in use longer.
 */

const PULSE_MS = 1_000;

/** Does a bounded piece of work; returns whether there may be more later. */
export type Beat = () => boolean;

const beats = new Set<Beat>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Calls `beat` about once a second until it returns false or leaves. */
export function joinPulse(beat: Beat): void {
  beats.add(beat);
  if (timer !== undefined) return;
  timer = setInterval(beatAll, PULSE_MS);
  timer.unref();
}

/** Stops calling `beat`. */
export function leavePulse(beat: Beat): void {
  beats.delete(beat);
  if (beats.size > 0 || timer === undefined) return;
  clearInterval(timer);
  timer = undefined;
}

function beatAll(): void {
  for (const beat of beats) if (!beat()) leavePulse(beat);
}
