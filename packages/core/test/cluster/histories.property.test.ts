import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import { History, type HistoryOptions } from "./history.ts";

const HOUR = 3_600_000;
const START_MS = 1_790_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
});

afterEach(() => {
  vi.useRealTimers();
});

const windows = [fixedWindow({ limit: 1_000_000, windowMs: HOUR })];
const slots = [slidingWindow({ limit: 1_000_000, windowMs: 24 * HOUR, slots: 2 })];

/** Runs a history in which after no step anybody sees a hit that did not happen. */
function lived(seed: number, options: HistoryOptions): History {
  const history = new History(seed, options);
  history.run(() => {
    const key = history.lastKey;
    for (const replica of history.fleet.replicas) {
      expect(replica.view(key)[0]).toBeLessThanOrEqual(history.counted.get(key) ?? 0);
    }
  });
  return history;
}

/** Says what every replica sees of each key once all must have heard of all: one number if they agree. */
function views(history: History): Map<string, Set<number>> {
  history.recover();
  return new Map(
    history.keys.map((key) => [
      key,
      new Set(history.fleet.replicas.map((replica) => replica.view(key)[0]!)),
    ]),
  );
}

/** The real one, from before time is faked. */
const nextTurn = setImmediate;

/** Goes through so many histories, each in a turn of its own: what they leave is freed in between. */
async function forAll(runs: number, look: (seed: number) => void): Promise<void> {
  const seeds = fc.noShrink(fc.integer({ min: 0, max: 2 ** 31 - 1 }));
  const property = fc.asyncProperty(seeds, async (seed) => {
    look(seed);
    await new Promise((resolve) => nextTurn(resolve));
  });
  await fc.assert(property, seededRuns(runs));
}

describe("whatever the network does", () => {
  const exact: [string, HistoryOptions][] = [
    ["windows", { policies: windows, steps: 150 }],
    ["windows, clocks ten minutes off", { policies: windows, steps: 150, clockMs: 600_000 }],
    ["windows and refunds", { policies: windows, steps: 150, refunds: true }],
    ["slots", { policies: slots, steps: 150 }],
    ["slots and refunds", { policies: slots, steps: 150, refunds: true }],
  ];
  it.each(exact)(
    "nobody sees hits that did not happen, and all see all at the end: %s",
    (_, options) => {
      return forAll(6, (seed) => {
        const history = lived(seed, options);
        for (const [key, seen] of views(history)) {
          const truth = (history.counted.get(key) ?? 0) - (history.refunded.get(key) ?? 0);
          expect(seen, key).toEqual(new Set([truth]));
        }
        history.fleet.close();
      });
    },
  );

  it.each([
    ["windows", windows],
    ["slots", slots],
  ])("all see the same after resets that others had not heard of: %s", (_, policies) => {
    return forAll(6, (seed) => {
      const history = lived(seed, { policies, steps: 150, resets: true, refunds: true });
      for (const [key, seen] of views(history)) expect(seen.size, key).toBe(1);
      history.fleet.close();
    });
  });

  it.each([
    ["windows", windows],
    ["slots", slots],
  ])(
    "all see the same of those that crashed as well, and never more than happened: %s",
    (_, policies) => {
      return forAll(6, (seed) => {
        const history = lived(seed, { policies, steps: 150, crashes: true });
        for (const [key, seen] of views(history)) expect(seen.size, key).toBe(1);
        history.fleet.close();
      });
    },
  );

  const lossy: [string, HistoryOptions][] = [
    ["crashes, slots, resets", { policies: slots, steps: 150, crashes: true, resets: true }],
    ["too few keys", { policies: windows, steps: 150, maxKeys: 3 }],
  ];
  it.each(lossy)(
    "nobody sees hits that did not happen, although some are lost: %s",
    (_, options) => {
      return forAll(6, (seed) => lived(seed, options).fleet.close());
    },
  );
});
