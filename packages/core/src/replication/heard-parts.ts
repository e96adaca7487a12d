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
}

export class HeardParts {
  #series: Series[] = [];

  /** Takes note of a part; returns whether all parts of that series have been heard now. */
  hear({ since, upTo, part, parts }: Page): boolean {
    let series = this.#series.find((begun) => begun.since === since && begun.upTo === upTo);
    if (series === undefined) {
      series = { since, upTo, heard: new Set(), parts: 0 };
      this.#series.push(series);
      if (this.#series.length > SERIES_MAX) this.#series.shift();
    }
    series.heard.add(part);
    if (parts > 0) series.parts = parts;
    if (series.parts === 0 || series.heard.size < series.parts) return false;
    this.#series = this.#series.filter((begun) => begun !== series && begun.upTo > upTo);
    return true;
  }
}
