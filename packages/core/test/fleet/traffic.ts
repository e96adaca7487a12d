/**
 * Who hits a fleet, when and where: of the loads of simulations, those for which it makes promises.
 */

import { arrivalsOf, Balancer, type Balancing } from "@tidegate/simulator";
import type { Fleet, FleetKey } from "./fleet.ts";

export const SPACINGS = ["even", "poisson"] as const;
export type Spacing = (typeof SPACINGS)[number];

export const PLACEMENTS = [
  "even",
  "skewed",
  "loyal",
  "least-informed",
  "next-when-refused",
] as const satisfies readonly Balancing[];
export type Placement = (typeof PLACEMENTS)[number];

/** Arrival times in whole milliseconds, `perMs` of them per millisecond. */
export function* arrivals(
  spacing: Spacing,
  perMs: number,
  startMs: number,
  random: () => number,
): Generator<number> {
  const next = arrivalsOf(spacing, { perMs, windowMs: Number.POSITIVE_INFINITY, random });
  for (let atMs = startMs; ; atMs = next(atMs, Number.POSITIVE_INFINITY)) yield Math.floor(atMs);
}

/** Sends the hits of one key to a fleet. */
export class Router {
  readonly #fleet: Fleet;
  readonly #key: FleetKey;
  readonly #balancer: Balancer;

  constructor(fleet: Fleet, placement: Placement, key: FleetKey, random: () => number) {
    const used = (replica: number): number => fleet.used(replica, key);
    this.#fleet = fleet;
    this.#key = key;
    this.#balancer = new Balancer(placement, { replicas: fleet.size, random, used });
  }

  /** Sends one hit to the replica it chooses; returns whether it was allowed. */
  hit(): boolean {
    const replica = this.#balancer.choose("the only one");
    const allowed = this.#fleet.check(replica, this.#key);
    this.#balancer.decided(replica, allowed);
    return allowed;
  }
}
