/**
 * How much may be gathered of long answers, of all replicas together.
 *
 * Each part that has been heard takes a place, and so does each replica that a part speaks for. When
 * all are taken, the answer that has waited longest for its next part is given up: it is asked for
 * again. One that is coming in hears its next part within milliseconds, so it is not that one.
 */

/** More than two of the longest answers have. */
const PLACES_MAX = 131_072;
/** What an answer takes that has only been begun. */
const PLACES_BEGUN = 8;

/** Why an answer was given up. */
export type ReplyPartsFault =
  /** Others of its replica were begun since, and the rest of it never came. */
  | "unended"
  /** More is being told by all replicas together than can be gathered. */
  | "tooManyParts";

/** An answer of which parts are missing. */
export interface Gathered {
  /** Places that it takes. */
  places: number;
  /** Has whoever gathers it forget it. */
  readonly forget: () => void;
}

export class ReplyPartsBudget {
  /** Places that are taken. */
  taken = 0;
  readonly #lost: (why: ReplyPartsFault) => void;
  readonly #placesMax: number;
  /** The one that was heard longest ago comes first. */
  readonly #gathered = new Set<Gathered>();

  constructor(lost: (why: ReplyPartsFault) => void, placesMax: number = PLACES_MAX) {
    this.#lost = lost;
    this.#placesMax = placesMax;
  }

  /** A part of an answer has been heard, and has taken so many places. */
  heard(answer: Gathered, places: number): void {
    const isBegun = !this.#gathered.delete(answer);
    this.#gathered.add(answer);
    const more = isBegun ? PLACES_BEGUN + places : places;
    answer.places += more;
    this.taken += more;
    for (const oldest of this.#gathered) {
      if (this.taken <= this.#placesMax) return;
      this.giveUp(oldest, "tooManyParts");
    }
  }

  /** An answer is complete, or of no interest any more. */
  release(answer: Gathered): void {
    if (this.#gathered.delete(answer)) this.taken -= answer.places;
  }

  giveUp(answer: Gathered, why: ReplyPartsFault): void {
    this.release(answer);
    answer.forget();
    this.#lost(why);
  }
}
