/**
 * Runs many random histories, each from a seed that replays it. One that fails is made short first.
 */

import { createHash } from "node:crypto";

import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import {
  describeHistory,
  type MoreChecks,
  runHistory,
  type Scenario,
  shrinkHistory,
  type Tally,
} from "../../src/index.ts";

/** How many histories of each kind are run. */
const HISTORIES = 18;
/** How long a history that fails is made shorter. */
const SHRINK_MS = 5_000;

const total: Tally & { histories: number; ms: number } = {
  ...{ histories: 0, ms: 0, steps: 0, workTurns: 0, cutTurns: 0, transports: 0, busy: 0 },
};

/** Each history has a turn of its own, so that what it leaves is freed before the next. */
export async function runHistories(scenario: Scenario, more?: MoreChecks): Promise<void> {
  const seeds = fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 }));
  // Histories of two kinds with one seed would have the same faults.
  const kind = hashOf(expect.getState().currentTestName ?? "");
  const property = fc.asyncProperty(seeds, async (seed) => {
    live((seed ^ kind) >>> 0, scenario, more);
    await new Promise((resolve) => setImmediate(resolve));
  });
  await fc.assert(property, seededRuns(HISTORIES));
}

function hashOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32LE();
}

function live(seed: number, scenario: Scenario, more?: MoreChecks): void {
  const startMs = performance.now();
  const result = runHistory({ seed, scenario }, more);
  total.ms += performance.now() - startMs;
  total.histories++;
  for (const name of ["steps", "workTurns", "cutTurns", "transports", "busy"] as const) {
    total[name] += result.tally[name];
  }
  if (result.failure === undefined) return;
  const endMs = performance.now() + SHRINK_MS;
  const hasTime = (): boolean => performance.now() < endMs;
  const short = shrinkHistory({ seed, scenario }, result, hasTime, more);
  const left = `${short.actions.length} of ${result.actions.length} actions`;
  expect.fail(`${result.failure.found}\n${left} show it:\n${describeHistory(short)}`);
}

/** Ends a file of histories: says what was simulated, and looks whether it was simulated at all. */
export function tellWhatWasSimulated(): void {
  it("cuts work in slices, and makes transports busy", () => {
    expect(total.cutTurns, "turns that were cut").toBeGreaterThan(0.02 * total.workTurns);
    expect(total.busy, "busy transports").toBeGreaterThan(0.005 * total.transports);
  });

  afterAll(() => {
    const { histories, ms, steps, workTurns, cutTurns, transports, busy } = total;
    const percent = (part: number, whole: number): string =>
      `${((100 * part) / whole).toFixed(1)} %`;
    process.stdout.write(
      `simulated ${steps} steps in ${histories} histories, ${Math.round(steps / ms)} thousand a second; ` +
        `${percent(cutTurns, workTurns)} of the turns with work were cut, ` +
        `and ${percent(busy, transports)} of the transports were busy\n`,
    );
  });
}
