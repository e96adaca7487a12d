/**
 * One run of a fleet: a key offered more than its limit, for a number of windows, from one seed.
 *
 * What is measured is a steady state: not the first window, nor what a bucket takes to be full. With
 * a flood, every store is overrun every five seconds by new keys, while some keys
 * that stay within their limit go on hitting.
 */

import { Admissions } from "@tidegate/simulator";
import { seededRandom } from "@tidegate/testkit";
import type { Policy } from "../../src/index.ts";
import { Fleet, type FleetKey, type FleetOptions } from "./fleet.ts";
import { arrivals, type Placement, Router, type Spacing } from "./traffic.ts";

/** A multiple of every window used, so that aligned windows begin with the run. */
export const START_MS = 1_700_000_100_000;

/** Pressure comes every five seconds, and never at the very moment when a window begins. */
const PRESSURE_MS = 5_000;
const PRESSURE_PHASE_MS = 2_350;
const FLOOD_KEYS_MAX = 16;
/** Fresh keys per store in one flood: more than it has room for. */
const FLOOD_KEYS = 20;

/** Its phase is 0 for windows of a second and a minute. */
export const HOT_KEY: FleetKey = { low: 120_000, high: 1 };
const WARM_KEYS: readonly FleetKey[] = [1, 2, 3].map((low) => ({ low, high: 2 }));
/** What each warm key is offered, of what its limit allows. */
const WARM_LOAD = 0.2;

export interface Scenario extends Omit<FleetOptions, "keysMax"> {
  readonly policy: Policy;
  readonly limit: number;
  readonly windowMs: number;
  /** Offered, in limits per window. */
  readonly load: number;
  readonly spacing: Spacing;
  readonly placement: Placement;
  /** Windows that are measured. */
  readonly windows: number;
  readonly flood?: boolean | undefined;
  /** The replica that gives up the hot key every five seconds. */
  readonly forgetful?: number | undefined;
}

export interface Outcome {
  readonly admissions: Admissions;
  /** Admitted in the measured windows, in limits per window. */
  readonly sustained: number;
  /** The same, averaged over where the windows begin. */
  readonly mean: number;
  readonly evictions: ReturnType<Fleet["evictions"]>;
  /** How often the hot key was given up, and how often a warm one. */
  readonly hotEvictions: number;
  readonly warmEvictions: number;
  /** Hits of warm keys that were refused. */
  readonly warmRefusals: number;
}

export function runScenario(scenario: Scenario): Outcome {
  const { limit, windowMs, load, spacing, placement, windows, seed, flood, forgetful } = scenario;
  const keysMax = flood === true ? FLOOD_KEYS_MAX : undefined;
  const fleet = new Fleet({ ...scenario, keysMax }, START_MS);
  const random = seededRandom(seed + 1);
  const router = new Router(fleet, placement, HOT_KEY, random);
  const admissions = new Admissions();
  const pressure = new Pressure(fleet, seededRandom(seed + 2), flood === true, forgetful);
  const perMs = (load * limit) / windowMs;
  const warmEvery = Math.round(load / WARM_LOAD);

  const untilFull = scenario.policy.kind === "tokenBucket" ? Math.ceil(1 / (load - 1)) : 0;
  const measuredFrom = START_MS + (1 + untilFull) * windowMs;
  const measuredUntil = measuredFrom + (windows + 1) * windowMs;
  let hits = 0;
  for (const atMs of arrivals(spacing, perMs, START_MS, random)) {
    if (atMs >= measuredUntil) break;
    pressure.until(atMs);
    fleet.advanceTo(atMs);
    if (router.hit()) admissions.add(atMs);
    if (flood === true && hits++ % warmEvery === 0) pressure.hitWarmKeys();
  }
  const sum = admissions.within(measuredFrom, measuredFrom + windows * windowMs);
  const meanSum = admissions.meanWithin(measuredFrom, windows, windowMs);
  return {
    admissions,
    sustained: sum / (windows * limit),
    mean: meanSum / (windows * limit),
    evictions: fleet.evictions(),
    hotEvictions: pressure.hotEvictions,
    warmEvictions: pressure.warmEvictions,
    warmRefusals: pressure.warmRefusals,
  };
}

/** What makes stores give up keys. */
class Pressure {
  hotEvictions = 0;
  warmEvictions = 0;
  warmRefusals = 0;

  readonly #fleet: Fleet;
  readonly #random: () => number;
  readonly #floods: boolean;
  readonly #forgetful: number | undefined;
  #nextAt = START_MS + PRESSURE_PHASE_MS;
  #fresh = 0;

  constructor(fleet: Fleet, random: () => number, floods: boolean, forgetful: number | undefined) {
    this.#fleet = fleet;
    this.#random = random;
    this.#floods = floods;
    this.#forgetful = forgetful;
  }

  until(nowMs: number): void {
    if (!this.#floods && this.#forgetful === undefined) return;
    for (; this.#nextAt <= nowMs; this.#nextAt += PRESSURE_MS) {
      this.#fleet.advanceTo(this.#nextAt);
      if (this.#floods) this.#flood();
      if (this.#forgetful !== undefined && this.#fleet.evict(this.#forgetful, HOT_KEY)) {
        this.hotEvictions++;
      }
    }
  }

  hitWarmKeys(): void {
    for (const key of WARM_KEYS) {
      const period = Math.floor(this.#random() * this.#fleet.size);
      if (!this.#fleet.check(period, key)) this.warmRefusals++;
    }
  }

  #flood(): void {
    const before = this.#known();
    for (let period = 0; period < this.#fleet.size; period++) {
      for (let key = 0; key < FLOOD_KEYS; key++) {
        this.#fleet.check(period, { low: this.#fresh++, high: 3 });
      }
    }
    const after = this.#known();
    this.hotEvictions += before.hot - after.hot;
    this.warmEvictions += before.warm - after.warm;
  }

  /** How many replicas know the hot key, and of how many warm ones. */
  #known(): { hot: number; warm: number } {
    const known = { hot: 0, warm: 0 };
    for (let period = 0; period < this.#fleet.size; period++) {
      if (this.#fleet.knows(period, HOT_KEY)) known.hot++;
      for (const key of WARM_KEYS) if (this.#fleet.knows(period, key)) known.warm++;
    }
    return known;
  }
}
