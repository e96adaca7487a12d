/**
 * Work on many records, done in slices: between two of them the caller can do other work.
 *
 * A record may be reused for another key in the meantime, so a record's number is valid for one
 * step only.
 */

/** Long work that pauses after each slice. */
export type Slices = Generator<undefined, void>;

/** Steps between two pauses; some records hold thousands of components. */
const STEPS = 32;

/** Takes a step for each number from `first` on, up to an end that may move during a pause. */
export function* sliced(first: number, end: () => number, step: (at: number) => void): Slices {
  for (let at = first; at < end(); at++) {
    step(at);
    if (at % STEPS === 0) yield;
  }
}
