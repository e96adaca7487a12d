/**
 * The parts of long answers that have been heard, until all of one are together.
 *
 * Few answers are gathered at a time: whoever begins many and ends none fills nothing.
 */

import type { Page } from "../wire/repair-sections.ts";

const SERIES_MAX = 4;

interface Series {
  readonly since: number;
  readonly upTo: number;
  readonly heard: Set<number>;
  /** 0 until the last part has been heard. */
  parts: number;
  /** Up to which frames it has what others counted, by their ids. */
  readonly others: Map<string, number>;
}

export class HeardParts {
  #series: Series[] = [];

  /**
   * Takes note of a part, and of others whose counts it has; returns all others of the series once
   * all of its parts have been heard.
   */
  hear(
    { since, upTo, part, parts }: Page,
    others: ReadonlyMap<string, number>,
  ): ReadonlyMap<string, number> | undefined {
    let series = this.#series.find((begun) => begun.since === since && begun.upTo === upTo);
    if (series === undefined) {
      series = { since, upTo, heard: new Set(), parts: 0, others: new Map() };
      this.#series.push(series);
      if (this.#series.length > SERIES_MAX) this.#series.shift();
    }
    series.heard.add(part);
    for (const [id, last] of others) series.others.set(id, last);
    if (parts > 0) series.parts = parts;
    if (series.parts === 0 || series.heard.size < series.parts) return undefined;
    this.#series = this.#series.filter((begun) => begun !== series);
    return series.others;
  }
}
