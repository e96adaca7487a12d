/**
 * Finds the smallest wait after which a condition holds, by trying.
 *
 * It relies on one fact about every policy: without hits the level only falls. So a condition that
 * holds after a wait also holds after every longer one. The tests compare it with plain stepping.
 */

/** Longer than every window; a longer wait means that there is none. */
const WAIT_MS_MAX = 2 ** 50;

/** The smallest whole number of milliseconds from 1 on for which `holds`, `Infinity` if none. */
export function leastWait(holds: (ms: number) => boolean): number {
  let enoughMs = 1;
  while (!holds(enoughMs)) {
    enoughMs *= 2;
    if (enoughMs > WAIT_MS_MAX) return Infinity;
  }
  let tooShortMs = Math.floor(enoughMs / 2);
  while (enoughMs - tooShortMs > 1) {
    const middleMs = Math.floor((tooShortMs + enoughMs) / 2);
    if (holds(middleMs)) enoughMs = middleMs;
    else tooShortMs = middleMs;
  }
  return enoughMs;
}
