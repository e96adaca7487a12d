/**
 * How many parts of long sync replies may be gathered, of all members together.
 *
 * Each received part takes one unit, and so does each replica that a part reports on. When all
 * units are taken, the reply that has waited longest for its next part is dropped, and is asked for
 * again. A reply that is arriving gets its next part within milliseconds, so it is not the one that
 * is dropped.
 */

/** More than the two longest possible replies take. */
const UNITS_MAX = 131_072;
/** What a reply takes as soon as its first part arrives. */
const UNITS_BEGUN = 8;

/** Why a reply was dropped. */
export type ReplyPartsFault =
  /** The same replica began newer replies, and the rest of this one did not arrive. */
  | "unended"
  /** All replicas together send more parts than can be gathered. */
  | "tooManyParts";

/** A reply of which parts are missing. */
export interface Gathered {
  /** Units that it takes. */
  units: number;
  /** Makes its `ReplyParts` forget it. */
  readonly forget: () => void;
}

export class ReplyPartsBudget {
  /** Units that are taken. */
  taken = 0;
  readonly #lost: (why: ReplyPartsFault) => void;
  readonly #unitsMax: number;
  /** The reply that got its last part longest ago comes first. */
  readonly #gathered = new Set<Gathered>();

  constructor(lost: (why: ReplyPartsFault) => void, unitsMax: number = UNITS_MAX) {
    this.#lost = lost;
    this.#unitsMax = unitsMax;
  }

  /** A part of a reply arrived and took so many units. */
  received(reply: Gathered, units: number): void {
    const isNew = !this.#gathered.delete(reply);
    this.#gathered.add(reply);
    const more = isNew ? UNITS_BEGUN + units : units;
    reply.units += more;
    this.taken += more;
    for (const oldest of this.#gathered) {
      if (this.taken <= this.#unitsMax) return;
      this.drop(oldest, "tooManyParts");
    }
  }

  /** A reply is complete, or is not needed any more. */
  release(reply: Gathered): void {
    if (this.#gathered.delete(reply)) this.taken -= reply.units;
  }

  drop(reply: Gathered, why: ReplyPartsFault): void {
    this.release(reply);
    reply.forget();
    this.#lost(why);
  }
}
