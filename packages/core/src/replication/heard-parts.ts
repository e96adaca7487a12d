/**
 * The parts of long answers that have been heard, until all of one are together.
 *
 * Few answers are gathered at a time: whoever begins many and ends none fills nothing. What was missed
 * is told again in other parts, as counts rise meanwhile; parts of two tellings do not make a whole.
 */

import type { Page } from "../wire/repair-sections.ts";

const SERIES_MAX = 4;

interface Series {
  readonly since: number;
  readonly upTo: number;
  /** When each part that has been heard was sent. */
  readonly heard: Map<number, number>;
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
   *
   * @param sentAtMs when the part was sent, by the sender's clock
   */
  hear(
    { since, upTo, part, parts }: Page,
    others: ReadonlyMap<string, number>,
    sentAtMs: number,
  ): ReadonlyMap<string, number> | undefined {
    let series = this.#series.find((begun) => begun.since === since && begun.upTo === upTo);
    if (series === undefined) {
      series = { since, upTo, heard: new Map(), parts: 0, others: new Map() };
      this.#series.push(series);
      if (this.#series.length > SERIES_MAX) this.#series.shift();
    }
    tellApart(series.heard, part, sentAtMs);
    series.heard.set(part, sentAtMs);
    for (const [id, last] of others) series.others.set(id, last);
    if (parts > 0) series.parts = parts;
    if (series.parts === 0 || series.heard.size < series.parts) return undefined;
    this.#series = this.#series.filter((begun) => begun !== series);
    return series.others;
  }
}

/**
 * Forgets the parts of an earlier telling. The first part of a telling is sent before all others of it;
 * and a part that was sent twice, at two times, is of two.
 */
function tellApart(heard: Map<number, number>, part: number, sentAtMs: number): void {
  const before = heard.get(part);
  const isAnother = before !== undefined && before < sentAtMs;
  if (part !== 0 && !isAnother) return;
  for (const [other, atMs] of heard) if (atMs < sentAtMs) heard.delete(other);
}
