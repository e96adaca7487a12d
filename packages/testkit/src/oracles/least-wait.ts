/**
 * The smallest wait after which something holds, found by trying.
 *
 * It relies on one fact about every policy: when nobody hits, the level only falls, so what holds
 * after a wait holds after every longer one. The tests compare it with plain stepping.
 */

/** Far beyond every window; a wait that is longer is none at all. */
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
