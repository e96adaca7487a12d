/**
 * The received parts of one replica's long sync replies, until all parts of a reply are there.
 *
 * The number of replies is bounded for one replica, and the number of parts for all replicas
 * together: a sender that begins many replies and ends none cannot fill the memory. A repeated
 * reply has other parts, because counts rise in between. So each reply has a number, and parts of
 * two replies never make a whole.
 */

import type { Page } from "../../wire/control-sections.ts";
import type { FramesKnown } from "../receive/received-frames.ts";
import type { Gathered, ReplyPartsBudget } from "./reply-parts-budget.ts";

const SERIES_MAX = 4;

type Others = ReadonlyMap<string, FramesKnown>;
type ReplyPart = Omit<Page, "hasAllHeld">;

interface Series extends Gathered {
  readonly since: number;
  readonly upTo: number;
  readonly telling: number;
  readonly received: Set<number>;
  /** 0 until the last part has arrived. */
  parts: number;
  /** The other replicas that the reply reports on, and which of their frames it includes. */
  readonly others: Map<string, FramesKnown>;
}

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
  add(page: ReplyPart, others: Others): Others | undefined {
    const series = this.#seriesOf(page);
    const before = sizeOf(series);
    series.received.add(page.part);
    for (const [id, known] of others) series.others.set(id, known);
    if (page.parts > 0) series.parts = page.parts;
    if (series.parts === 0 || series.received.size < series.parts) {
      this.#budget.received(series, sizeOf(series) - before);
      return undefined;
    }
    this.#budget.release(series);
    this.#remove(series);
    return series.others;
  }

  /** Forgets all received parts. */
  forget(): void {
    for (const series of this.#series) this.#budget.release(series);
    this.#series = [];
  }

  #seriesOf({ since, upTo, telling }: ReplyPart): Series {
    for (const begun of this.#series) {
      if (begun.telling === telling && begun.since === since && begun.upTo === upTo) return begun;
    }
    const series: Series = {
      ...{ since, upTo, telling },
      received: new Set(),
      parts: 0,
      others: new Map(),
      units: 0,
      forget: () => this.#remove(series),
    };
    this.#series.push(series);
    if (this.#series.length > SERIES_MAX) this.#budget.drop(this.#series[0]!, "unended");
    return series;
  }

  #remove(series: Series): void {
    this.#series = this.#series.filter((begun) => begun !== series);
  }
}

function sizeOf({ received, others }: Series): number {
  return received.size + others.size;
}
