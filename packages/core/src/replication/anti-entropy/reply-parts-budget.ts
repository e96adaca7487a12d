/**
 * How many parts of long sync replies may be gathered, of all members together.
 *
 * Each received part takes one unit, and so does each replica that a part reports on. When all
 * units are taken, the reply that has waited longest for its next part is dropped, and is asked for
 * again. A reply that is arriving gets its next part within milliseconds, so it is not the one that
 * is dropped.
 */

/** More than the two longest possible replies take. */
const PLACES_MAX = 131_072;
/** What a reply takes as soon as its first part arrives. */
const PLACES_BEGUN = 8;

/** Why a reply was dropped. */
export type ReplyPartsFault =
  /** The same replica began newer replies, and the rest of this one did not arrive. */
  | "unended"
  /** All replicas together send more parts than can be gathered. */
  | "tooManyParts";

/** A reply of which parts are missing. */
export interface Gathered {
  /** Units that it takes. */
  places: number;
  /** Makes its `ReplyParts` forget it. */
  readonly forget: () => void;
}

export class ReplyPartsBudget {
  /** Units that are taken. */
  taken = 0;
  readonly #lost: (why: ReplyPartsFault) => void;
  readonly #placesMax: number;
  /** The reply that got its last part longest ago comes first. */
  readonly #gathered = new Set<Gathered>();

  constructor(lost: (why: ReplyPartsFault) => void, placesMax: number = PLACES_MAX) {
    this.#lost = lost;
    this.#placesMax = placesMax;
  }

  /** A part of a reply arrived and took so many units. */
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

  /** A reply is complete, or is not needed any more. */
  release(answer: Gathered): void {
    if (this.#gathered.delete(answer)) this.taken -= answer.places;
  }

  giveUp(answer: Gathered, why: ReplyPartsFault): void {
    this.release(answer);
    answer.forget();
    this.#lost(why);
  }
}
