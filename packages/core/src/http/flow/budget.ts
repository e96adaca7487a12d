/**
 * What a gate counts in: a limiter and what its policies are called in headers, one for each width of
 * window that users have.
 */

import type { Limiter } from "../../limiter.ts";
import { durationMs, invalidOption } from "../../options.ts";
import type { Fields } from "../headers/fields.ts";
import type { Quota } from "../headers/quota.ts";
import type { Counter } from "../verdict.ts";

/** How many widths one gate may have. */
const WIDTHS_MAX = 64;

export interface Budget {
  readonly counter: Counter;
  /** The limiter, if it is one that counts. */
  readonly limiter: Limiter | null;
  readonly quotas: readonly Quota[];
  /** What the policies are called in fields and problems. */
  readonly names: readonly string[];
  readonly fields: Fields | null;
  /** Whether places are held until a response has ended. */
  readonly holdsPlaces: boolean;
}

/** The budgets of one gate by the width of their window. */
export class Budgets {
  readonly #make: (windowMs: number | null) => Budget;
  readonly #byWidth = new Map<number, Budget>();
  /** The budget of whoever has no width of his own. */
  readonly usual: Budget;
  readonly #usualMs: number | null;

  constructor(usualMs: number | null, make: (windowMs: number | null) => Budget) {
    this.#make = make;
    this.#usualMs = usualMs;
    this.usual = make(null);
  }

  /** The budget for a width that a user's function has answered with. */
  ofWidth(windowMs: unknown): Budget {
    if (windowMs === this.#usualMs) return this.usual;
    const width = durationMs("windowMs", windowMs);
    let budget = this.#byWidth.get(width);
    if (budget === undefined) {
      if (this.#byWidth.size >= WIDTHS_MAX) {
        throw invalidOption("windowMs", `one of at most ${WIDTHS_MAX} different widths`, width);
      }
      budget = this.#make(width);
      this.#byWidth.set(width, budget);
    }
    return budget;
  }

  all(): readonly Budget[] {
    return [this.usual, ...this.#byWidth.values()];
  }
}
