/**
 * Random numbers that repeat for the same seed, so that a failing run can be replayed.
 *
 * The generator is sfc32: small, fast and good enough for simulations. It must not be used for
 * secrets.
 */

/** Rounds after which the three equal words of the initial state no longer show. */
const WARM_UP_ROUNDS = 15;

/** Returns a function that gives numbers from 0 up to, not including, 1: the same for one seed. */
export function seededRandom(seed: number): () => number {
  let a = seed | 0;
  let b = Math.floor(seed / 2 ** 32) | 0;
  let c = 0x9e3779b9 | 0;
  let round = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + round) | 0;
    round = (round + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let warmed = 0; warmed < WARM_UP_ROUNDS; warmed++) next();
  return next;
}

/**
 * Streams of random numbers from one seed, one for each purpose. Drawing more of one changes nothing
 * in the others, so a fault that is switched off leaves the rest of a history as it was.
 */
export function randomStreams(seed: number): (purpose: string) => () => number {
  return (purpose) => {
    let hash = 0x811c9dc5;
    for (let at = 0; at < purpose.length; at++) {
      hash = Math.imul(hash ^ purpose.charCodeAt(at), 0x01000193);
    }
    return seededRandom((seed | 0) + 2 ** 32 * ((hash >>> 0) % 2 ** 20));
  };
}
