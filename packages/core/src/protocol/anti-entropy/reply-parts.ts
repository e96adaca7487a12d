/**
 * The received parts of long sync replies, until all parts of a reply are there.
 *
 * A sender that begins many replies and ends none cannot fill the memory. The number of replies is
 * bounded for each replica, and the number of parts for all replicas together. A repeated reply has
 * other parts, because counts rise in between. So each reply has a number, and parts of two replies
 * never make a whole.
 */

import type { ReplyPart } from "../../wire/control-sections.ts";
import type { FramesKnown } from "../receive/received-frames.ts";

/** How many replies of one replica are gathered at a time. */
const SERIES_MAX = 4;
/** More than the two longest possible replies take. */
const UNITS_MAX = 131_072;
/** What a reply takes as soon as its first part arrives. */
const UNITS_BEGUN = 8;

/** Why a reply was dropped. */
export type ReplyPartsFault =
  /** The same replica began newer replies, and the rest of this one did not arrive. */
  | "incomplete"
  /** All replicas together send more parts than can be gathered. */
  | "tooManyParts";

type Others = ReadonlyMap<string, FramesKnown>;
type Part = Omit<ReplyPart, "hasAllPermits">;

/** A reply of which parts are missing. */
interface Series {
  readonly since: number;
  readonly upTo: number;
  readonly replyNumber: number;
  readonly received: Set<number>;
  /** 0 until the last part has arrived. */
  parts: number;
  /** The other replicas that the reply reports on, and which of their frames it includes. */
  readonly others: Map<string, FramesKnown>;
  /** What it takes of the budget. */
  units: number;
  /** Makes its `ReplyParts` forget it. */
  readonly forget: () => void;
}

/**
 * How many parts may be gathered, of all members together.
 *
 * Each received part takes one unit, and so does each replica that a part reports on. When all
 * units are taken, the reply that has waited longest for its next part is dropped, and is asked for
 * again. A reply that is arriving gets its next part within milliseconds, so it is not the one that
 * is dropped.
 */
export class ReplyPartsBudget {
  readonly #lost: (why: ReplyPartsFault) => void;
  readonly #unitsMax: number;
  /** The reply that got its last part longest ago comes first. */
  readonly #gathered = new Set<Series>();
  /** Units that are taken. */
  taken = 0;

  constructor(lost: (why: ReplyPartsFault) => void, unitsMax: number = UNITS_MAX) {
    this.#lost = lost;
    this.#unitsMax = unitsMax;
  }

  /** A part of a reply arrived and took so many units. */
  received(reply: Series, units: number): void {
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
  release(reply: Series): void {
    if (this.#gathered.delete(reply)) this.taken -= reply.units;
  }

  drop(reply: Series, why: ReplyPartsFault): void {
    this.release(reply);
    reply.forget();
    this.#lost(why);
  }
}

/** The parts of one replica's replies. */
export class ReplyParts {
  #series: Series[] = [];
  readonly #budget: ReplyPartsBudget;

  constructor(budget: ReplyPartsBudget) {
    this.#budget = budget;
  }

  /**
   * Adds a part, and the other replicas whose counts it has. Returns all other replicas of the
   * reply once all of its parts have arrived.
   */
  add(part: Part, others: Others): Others | undefined {
    const series = this.#seriesOf(part);
    const before = sizeOf(series);
    series.received.add(part.part);
    for (const [id, known] of others) series.others.set(id, known);
    if (part.parts > 0) series.parts = part.parts;
    if (series.parts === 0 || series.received.size < series.parts) {
      this.#budget.received(series, sizeOf(series) - before);
      return undefined;
    }
    this.#budget.release(series);
    series.forget();
    return series.others;
  }

  /** Forgets all received parts. */
  forget(): void {
    for (const series of this.#series) this.#budget.release(series);
    this.#series = [];
  }

  #seriesOf({ since, upTo, replyNumber }: Part): Series {
    for (const begun of this.#series) {
      if (begun.replyNumber === replyNumber && begun.since === since && begun.upTo === upTo)
        return begun;
    }
    const series: Series = {
      ...{ since, upTo, replyNumber },
      received: new Set(),
      parts: 0,
      others: new Map(),
      units: 0,
      forget: () => {
        this.#series = this.#series.filter((begun) => begun !== series);
      },
    };
    this.#series.push(series);
    if (this.#series.length > SERIES_MAX) this.#budget.drop(this.#series[0]!, "incomplete");
    return series;
  }
}

function sizeOf({ received, others }: Series): number {
  return received.size + others.size;
}
