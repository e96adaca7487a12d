import { seededRuns } from "@tidegate/testkit";
import { describe, expect, it } from "vitest";
import {
  type Allowance,
  brokenPromises,
  makePolicy,
  POLICY_NAMES,
  type PolicyName,
} from "./promises.ts";
import { runScenario, type Scenario } from "./scenario.ts";
import { PLACEMENTS, SPACINGS } from "./traffic.ts";

/** Everything with everything, when many more runs than usual are asked for. */
const isFull = seededRuns(1).numRuns >= 10;
const TIMEOUT_MS = isFull ? 600_000 : 30_000;
const SEED = 20_240;

const ALLOWANCES = [
  { limit: 100, windowMs: 60_000 },
  { limit: 1_000, windowMs: 1_000 },
];
const LOADS = [1.2, 3, 5];
const SIZES = [3, 10, 50];

type Traffic = Pick<Scenario, "replicas" | "load" | "spacing" | "placement">;

const everyTraffic: readonly Traffic[] = SIZES.flatMap((replicas) =>
  LOADS.flatMap((load) =>
    SPACINGS.flatMap((spacing) =>
      PLACEMENTS.map((placement) => ({ replicas, load, spacing, placement })),
    ),
  ),
);

/** Every placement on three replicas, and of the rest some of each. */
function isUsual({ replicas, load, spacing, placement }: Traffic): boolean {
  if (spacing !== SPACINGS[LOADS.indexOf(load) % 2]) return false;
  if (replicas === 3) return load !== 5;
  if (replicas === 10)
    return load === 3 && (placement === "skewed" || placement === "least-informed");
  return load === 3 && placement === "least-informed";
}

function usualTraffic(name: PolicyName, { limit }: Allowance): readonly Traffic[] {
  const usual = everyTraffic.filter((traffic) => isUsual(traffic));
  if (limit < 1_000 || (name !== "slidingLog" && name !== "tokenBucket")) return usual;
  const cheap = ["even", "least-informed"];
  return usual.filter(({ replicas, placement }) => replicas === 3 && cheap.includes(placement));
}

/** Whether an overrun fleet is put to this traffic, of which fifty replicas get the least. */
function isFlooded(traffic: Traffic, name: PolicyName, { limit }: Allowance): boolean {
  const { replicas, load, spacing, placement } = traffic;
  if (spacing !== "poisson") return false;
  if (isFull && (replicas === 3 || (replicas === 10 && name === "fixedWindow"))) return true;
  if (load !== 3) return false;
  if (isFull && replicas === 10) return true;
  if (isFull) return limit < 1_000 && (placement === "even" || placement === "least-informed");
  if (replicas === 3) return limit < 1_000 || placement === "even" || placement === "loyal";
  return replicas === 10 && name === "fixedWindow" && placement === "least-informed";
}

function scenarioOf(name: PolicyName, allowance: Allowance, traffic: Traffic): Scenario {
  // Eight windows of a second hold a whole number of a bucket's slots.
  const windows = allowance.limit === 100 || name === "tokenBucket" ? 8 : 4;
  return { ...allowance, ...traffic, policy: makePolicy(name, allowance), windows, seed: SEED };
}

function title({ limit, windowMs }: Allowance): string {
  return `${limit} per ${windowMs / 1_000} s`;
}

describe("a fleet without lag", () => {
  for (const name of POLICY_NAMES) {
    for (const allowance of ALLOWANCES) {
      it(
        `admits one limit per window by ${name} of ${title(allowance)}, however it is asked`,
        () => {
          const traffics = isFull ? everyTraffic : usualTraffic(name, allowance);
          const broken = traffics.flatMap((traffic) => {
            const scenario = scenarioOf(name, allowance, traffic);
            return brokenPromises(scenario, runScenario(scenario));
          });
          expect(broken).toEqual([]);
        },
        TIMEOUT_MS,
      );
    }
  }
});

describe("a fleet whose stores are overrun by fresh keys", () => {
  for (const name of POLICY_NAMES) {
    for (const allowance of ALLOWANCES) {
      it(
        `admits one limit per window by ${name} of ${title(allowance)} all the same`,
        () => {
          const traffics = everyTraffic.filter((traffic) => isFlooded(traffic, name, allowance));
          let warmEvictions = 0;
          const broken = traffics.flatMap((traffic) => {
            const windows = isFull ? 20 : allowance.limit === 100 ? 5 : 8;
            const usual = scenarioOf(name, allowance, traffic);
            const scenario = { ...usual, windows, flood: true };
            const outcome = runScenario(scenario);
            warmEvictions += outcome.warmEvictions;
            return brokenPromises(scenario, outcome);
          });
          expect(broken).toEqual([]);
          if (allowance.limit === 100) expect(warmEvictions).toBeGreaterThan(0);
        },
        TIMEOUT_MS,
      );
    }
  }
});
