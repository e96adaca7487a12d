/**
 * Who hits a fleet, when and where: arrival times and the ways in which hits find their replica.
 */

import type { Fleet, FleetKey } from "./fleet.ts";

export const SPACINGS = ["evenly spaced", "Poisson"] as const;
export type Spacing = (typeof SPACINGS)[number];

/** Arrival times in whole milliseconds, `perMs` of them per millisecond. */
export function* arrivals(
  spacing: Spacing,
  perMs: number,
  startMs: number,
  random: () => number,
): Generator<number> {
  let atMs = startMs;
  for (;;) {
    yield Math.floor(atMs);
    atMs += (spacing === "Poisson" ? -Math.log(1 - random()) : 1) / perMs;
  }
}

export const PLACEMENTS = ["even", "Zipf", "loyal", "least used", "next when refused"] as const;

/**
 * How a hit finds its replica.
 *
 * - even: any of them alike
 * - Zipf: the second replica gets half of what the first gets, the third a third, and so on
 * - loyal: the one that last allowed, and after a refusal any
 * - least used: the one that knows of the fewest hits
 * - next when refused: one after the other, moving on when refused
 */
export type Placement = (typeof PLACEMENTS)[number];

/** Chooses replicas for the hits of one key. */
export class Router {
  readonly #fleet: Fleet;
  readonly #placement: Placement;
  readonly #random: () => number;
  readonly #shares: number[] = [];
  #period = 0;

  constructor(fleet: Fleet, placement: Placement, random: () => number) {
    this.#fleet = fleet;
    this.#placement = placement;
    this.#random = random;
    let sum = 0;
    for (let period = 0; period < fleet.size; period++) {
      sum += placement === "Zipf" ? 1 / (period + 1) : 1;
      this.#shares.push(sum);
    }
  }

  /** Sends one hit of a key to the replica it chooses; returns whether it was allowed. */
  hit(key: FleetKey): boolean {
    const period = this.#choose(key);
    const allowed = this.#fleet.check(period, key);
    if (this.#placement === "loyal") this.#period = allowed ? period : this.#draw();
    else if (!allowed) this.#period = (period + 1) % this.#fleet.size;
    return allowed;
  }

  #choose(key: FleetKey): number {
    if (this.#placement === "even" || this.#placement === "Zipf") return this.#draw();
    if (this.#placement !== "least used") return this.#period;
    let least = 0;
    let leastUsed = Number.POSITIVE_INFINITY;
    for (let period = 0; period < this.#fleet.size; period++) {
      const used = this.#fleet.used(period, key);
      if (used >= leastUsed) continue;
      least = period;
      leastUsed = used;
    }
    return least;
  }

  #draw(): number {
    const shares = this.#shares;
    const drawn = this.#random() * shares.at(-1)!;
    let period = 0;
    while (shares[period]! <= drawn) period++;
    return period;
  }
}
