/**
 * The costs of two builds side by side: those of this tree, now, and of another commit.
 *
 * Each start of a job gives a ratio of its own, of processes that were new and took turns. The median of
 * these ratios is the result, and half the distance between their quartiles is its spread. What the
 * compiler makes of the same code differs from process to process, so rounds of one start are no evidence.
 */

import { quantile, summarize } from "../measure/statistics.ts";
import type { ScenarioRecord } from "../scenarios/catalogue.ts";
import { costsOf, type Unit } from "./costs.ts";

/** What one start of a job measured with either build. */
export interface Start {
  readonly now: readonly ScenarioRecord[];
  readonly other: readonly ScenarioRecord[];
}

export type Mark = "SLOWER" | "FASTER" | "MORE" | "LESS" | "";

export interface ComparedCost {
  readonly what: string;
  readonly unit: Unit;
  readonly starts: number;
  /** Medians over all starts. */
  readonly now: number;
  readonly other: number;
  /** Now in relation to the other. */
  readonly ratio: number;
  /** A share of the ratio; absent if there were too few starts to tell. */
  readonly spread?: number;
  readonly mark: Mark;
}

/** Something that the other commit cannot do, or does not tell. */
export interface Incomparable {
  readonly what: string;
  readonly reason: string;
}

const SLOWER_FROM = 1.05;
const FASTER_FROM = 0.95;
const STARTS_FOR_SPREAD = 3;

/** All starts of the jobs under one heading. */
export class Comparison {
  readonly incomparable: Incomparable[] = [];
  readonly #costs = new Map<string, { unit: Unit; now: number[]; other: number[] }>();

  add({ now, other }: Start): void {
    const values = new Map(other.flatMap(costsOf).map((cost) => [cost.what, cost.value]));
    for (const { what, unit, value } of now.flatMap(costsOf)) {
      const otherValue = values.get(what);
      if (!Number.isFinite(value)) throw new Error(`${what}: this tree has no figure of it`);
      if (otherValue === undefined || !Number.isFinite(otherValue)) {
        this.cannot(what, "the other commit has no figure of it");
        continue;
      }
      const pairs = this.#costs.get(what) ?? { unit, now: [], other: [] };
      this.#costs.set(what, pairs);
      pairs.now.push(value);
      pairs.other.push(otherValue);
    }
  }

  /** Says once why something cannot be compared. */
  cannot(what: string, reason: string): void {
    if (this.incomparable.every((one) => one.what !== what || one.reason !== reason)) {
      this.incomparable.push({ what, reason });
    }
  }

  get costs(): ComparedCost[] {
    return [...this.#costs].map(([what, { unit, now, other }]) => {
      const ratios = now.map((value, start) => ratioOf(value, other[start]!));
      const { median: ratio, spread } = summarize(ratios);
      const starts = ratios.length;
      const known = starts >= STARTS_FOR_SPREAD ? { spread } : {};
      return {
        ...{ what, unit, starts, now: quantile(now, 0.5), other: quantile(other, 0.5), ratio },
        ...known,
        mark: markOf(unit, ratio, known.spread),
      };
    });
  }
}

/** Two costs of nothing are the same. */
function ratioOf(now: number, other: number): number {
  return now === other ? 1 : now / other;
}

/** A word for a ratio that is more than a twentieth from 1, even where the spread brings it closest to 1. */
export function markOf(unit: Unit, ratio: number, spread: number | undefined): Mark {
  if (spread === undefined) return "";
  const isTime = unit === "ns" || unit === "ms";
  if (ratio * (1 - spread) > SLOWER_FROM) return isTime ? "SLOWER" : "MORE";
  if (ratio * (1 + spread) < FASTER_FROM) return isTime ? "FASTER" : "LESS";
  return "";
}
