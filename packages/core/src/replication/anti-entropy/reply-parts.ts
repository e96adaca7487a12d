/**
 * The parts of one replica's long answers that have been heard, until all of one are together.
 *
 * Few answers are gathered at a time, and of all replicas no more than there is room for: whoever begins
 * many and ends none fills nothing. What was missed is told again in other parts, as counts rise
 * meanwhile, so each telling has a number: parts of two tellings do not make a whole.
 */

import type { Page } from "../../wire/repair-sections.ts";
import type { FramesKnown } from "../receive/received-frames.ts";
import type { Gathered, ReplyPartsBudget } from "./reply-parts-budget.ts";

const SERIES_MAX = 4;

type Others = ReadonlyMap<string, FramesKnown>;
type Told = Omit<Page, "hasAllHeld">;

interface Series extends Gathered {
  readonly since: number;
  readonly upTo: number;
  readonly telling: number;
  readonly heard: Set<number>;
  /** 0 until the last part has been heard. */
  parts: number;
  /** Of which frames it has what others counted, by their ids. */
  readonly others: Map<string, FramesKnown>;
}

export class ReplyParts {
  #series: Series[] = [];
  readonly #room: ReplyPartsBudget;

  constructor(room: ReplyPartsBudget) {
    this.#room = room;
  }

  /**
   * Takes note of a part, and of others whose counts it has; returns all others of the series once
   * all of its parts have been heard.
   */
  hear(page: Told, others: Others): Others | undefined {
    const series = this.#seriesOf(page);
    const before = sizeOf(series);
    series.heard.add(page.part);
    for (const [id, known] of others) series.others.set(id, known);
    if (page.parts > 0) series.parts = page.parts;
    if (series.parts === 0 || series.heard.size < series.parts) {
      this.#room.heard(series, sizeOf(series) - before);
      return undefined;
    }
    this.#room.release(series);
    this.#leave(series);
    return series.others;
  }

  /** Forgets all that has been heard. */
  forget(): void {
    for (const series of this.#series) this.#room.release(series);
    this.#series = [];
  }

  #seriesOf({ since, upTo, telling }: Told): Series {
    for (const begun of this.#series) {
      if (begun.telling === telling && begun.since === since && begun.upTo === upTo) return begun;
    }
    const series: Series = {
      ...{ since, upTo, telling },
      heard: new Set(),
      parts: 0,
      others: new Map(),
      places: 0,
      forget: () => this.#leave(series),
    };
    this.#series.push(series);
    if (this.#series.length > SERIES_MAX) this.#room.giveUp(this.#series[0]!, "unended");
    return series;
  }

  #leave(series: Series): void {
    this.#series = this.#series.filter((begun) => begun !== series);
  }
}

function sizeOf({ heard, others }: Series): number {
  return heard.size + others.size;
}
