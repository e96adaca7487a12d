/**
 * What a fleet without lag guarantees for a key offered more than its limit.
 */

import {
  fixedWindow,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import type { Outcome, Scenario } from "./scenario.ts";

export interface Allowance {
  readonly limit: number;
  readonly windowMs: number;
}

export const POLICY_NAMES = [
  "fixedWindow",
  "fixedWindow, aligned",
  "slidingWindow",
  "slidingLog",
  "tokenBucket",
] as const;
export type PolicyName = (typeof POLICY_NAMES)[number];

/** Counting noise included; a limiter that admits less than the least refuses what it has room for. */
const SUSTAINED_MOST = 1.005;
const SUSTAINED_LEAST = 0.9;
/** A bucket leaks slot by slot; of the time it takes to empty, a slot is at most this part here. */
const BUCKET_SLOT_PART = 0.064;

export function makePolicy(name: PolicyName, { limit, windowMs }: Allowance): Policy {
  switch (name) {
    case "fixedWindow":
      return fixedWindow({ limit, windowMs });
    case "fixedWindow, aligned":
      return fixedWindow({ limit, windowMs, align: true });
    case "slidingWindow":
      return slidingWindow({ limit, windowMs });
    case "slidingLog":
      return slidingLog({ limit, windowMs });
    case "tokenBucket":
      return tokenBucket({ capacity: limit, refillPerSecond: (limit * 1_000) / windowMs });
  }
}

/** Everything that an outcome breaks, each as a sentence; nothing for a good one. */
export function brokenPromises(scenario: Scenario, outcome: Outcome): string[] {
  const { policy, limit, windowMs, load, spacing, placement, replicas } = scenario;
  const { admissions, sustained, evictions, warmRefusals } = outcome;
  const run = `${replicas} replicas, ${load} × the limit, ${spacing}, ${placement}`;
  const broken: string[] = [];
  const atMost = (what: string, value: number, most: number): void => {
    if (!(value <= most)) broken.push(`${run}: ${what} ${value}, at most ${most}`);
  };

  atMost("sustained", sustained, SUSTAINED_MOST);
  atMost("sustained below 0", -sustained, -SUSTAINED_LEAST);
  if (scenario.flood === true) {
    atMost("live evictions", -evictions.live, -replicas);
    atMost("refusals of keys within their limit", warmRefusals, 0);
  }
  const worst = admissions.mostWithin(windowMs);
  switch (policy.kind) {
    case "fixedWindow":
      atMost("worst span", worst, 2 * limit);
      break;
    case "slidingWindow": {
      const slotMs = windowMs / policy.slots;
      const beyond = admissions.mostBeyondTrailingSlot(windowMs, slotMs);
      atMost("worst span without its trailing slot", beyond, limit);
      if (spacing === "even" && load < 2) {
        atMost("worst span", worst, Math.ceil(limit + limit / policy.slots));
      }
      break;
    }
    case "slidingLog":
      atMost("worst span", worst, limit);
      break;
    case "tokenBucket":
      atMost("worst span", worst, Math.ceil((2 + BUCKET_SLOT_PART) * limit));
      break;
  }
  return broken;
}
