/**
 * Runs many random histories, each from a seed that replays it.
 */

import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { expect, vi } from "vitest";
import { History, type HistoryOptions } from "./history.ts";
import { LagCheck } from "./lag-check.ts";
import { SimulatedTime } from "./simulated-time.ts";

const START_MS = 1_790_000_000_000;
/** How many histories of each kind are run. */
const HISTORIES = 18;

/** The real one, from before time is stubbed. */
const nextTurn = setImmediate;

/**
 * Runs histories in which no replica sees, after any step, hits that did not happen. Each has a
 * turn of its own, so that what it leaves is freed before the next.
 *
 * @param look looks at each when all its steps are done
 */
export async function runHistories(
  options: HistoryOptions,
  look: (history: History) => void = () => {},
): Promise<void> {
  const seeds = fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 }));
  const property = fc.asyncProperty(seeds, async (seed) => {
    live(seed, options, look);
    await new Promise((resolve) => nextTurn(resolve));
  });
  await fc.assert(property, seededRuns(HISTORIES));
}

function live(seed: number, options: HistoryOptions, look: (history: History) => void): void {
  const time = new SimulatedTime(START_MS);
  time.install();
  try {
    const history = new History(seed, options, time);
    const lags = new LagCheck(() => time.nowMs);
    history.run(() => {
      lookForPhantoms(history);
      if (options.saysLag !== true) return;
      const [unsaid] = lags.look(history.fleet);
      if (unsaid !== undefined) expect.fail(unsaid);
    });
    look(history);
    lookForCutOff(history);
    history.fleet.close();
  } finally {
    vi.unstubAllGlobals();
  }
}

/**
 * What every replica sees of each key once all must have received all: one number if they agree.
 */
export function viewsInTheEnd(history: History): Map<string, Set<number>> {
  history.recover();
  const { replicas } = history.fleet;
  return new Map(
    history.keys.map((key) => [key, new Set(replicas.map((replica) => replica.view(key)[0]!))]),
  );
}

/** All see the same, and that is the truth. */
export function expectExact(history: History): void {
  for (const [key, seen] of viewsInTheEnd(history)) {
    expect(seen, key).toEqual(new Set([history.truth.exact(key)]));
  }
}

/** All see the same, and no more than can be left of what was counted. */
export function expectAgreement(history: History): void {
  for (const [key, seen] of viewsInTheEnd(history)) {
    expect(seen.size, key).toBe(1);
    expect(Math.max(...seen), key).toBeLessThanOrEqual(history.truth.mostInTheEnd(key));
  }
}

/**
 * If as many replicas run as ever did, none is partitioned; and if nothing goes wrong, none ever
 * is.
 */
function lookForCutOff(history: History): void {
  const { replicas } = history.fleet;
  const partitions = replicas.map(({ replica }) => replica.partitionDetector.partitions);
  if (history.isFaultless)
    expect(partitions, "partitions without a fault").toEqual(partitions.map(() => 0));
  // A clock that stands still shortens what was between a crash and a replacement.
  if (history.areLivesUnsure) return;
  history.replace();
  const apart = history.fleet.replicas.filter(
    ({ replica }) => replica.partitionDetector.isPartitioned,
  );
  expect(
    apart.map(({ troubles }) => troubles.at(-1)),
    "cut off although as many run as ever did",
  ).toEqual([]);
}

function lookForPhantoms({ keys, truth, fleet }: History): void {
  for (const key of keys) {
    const most = truth.most(key);
    for (const replica of fleet.replicas) {
      const seen = replica.view(key)[0]!;
      // An assertion for each of a million looks would cost more than all the rest.
      if (seen > most) expect.fail(`${seen} hits of ${key} are seen, and ${most} happened`);
    }
  }
}
