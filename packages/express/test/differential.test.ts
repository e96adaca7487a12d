import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sendThroughBoth } from "./differential/both.ts";
import { type Difference, differencesOf, ROWS } from "./differential/differences.ts";
import { SCENARIOS, type Scenario } from "./differential/scenario.ts";

const SCENARIOS_COUNT = 280;
const SEED = 20_260_523;

beforeEach(() => {
  vi.useFakeTimers({
    now: 1_800_000_000_000,
    toFake: ["Date", "performance", "hrtime", "setInterval", "clearInterval"],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Unexplained {
  readonly difference: Difference;
  readonly rows: readonly string[];
  readonly peculiarity: string;
  readonly options: string;
  readonly requests: readonly string[];
}

/** What one needs to see why. */
function unexplainedBy(
  { peculiarity, options, requests }: Scenario,
  at: number,
  difference: Difference,
  rows: readonly string[],
): Unexplained {
  const sent = requests.slice(0, at + 1).map((request) => JSON.stringify(request));
  return { difference, rows, peculiarity, options: JSON.stringify(options), requests: sent };
}

describe("what differs from express-rate-limit", () => {
  it("is explained by exactly one row of the table each time, and every row by something", async () => {
    const hit = new Map<string, number>();
    const unexplained: Unexplained[] = [];
    let responses = 0;
    for (const scenario of fc.sample(SCENARIOS, { numRuns: SCENARIOS_COUNT, seed: SEED })) {
      const pairs = await sendThroughBoth(scenario);
      vi.clearAllTimers();
      for (const [at, pair] of pairs.entries()) {
        responses++;
        for (const difference of differencesOf(pair)) {
          const context = { ...pair, scenario };
          const rows = ROWS.filter((row) => row.explains(difference, context)).map(({ id }) => id);
          if (rows.length !== 1) {
            unexplained.push(unexplainedBy(scenario, at, difference, rows));
          }
          for (const id of rows) hit.set(id, (hit.get(id) ?? 0) + 1);
        }
        if (unexplained.length > 0) break;
      }
      if (unexplained.length > 0) break;
    }
    expect(unexplained).toEqual([]);
    expect(responses).toBeGreaterThan(2_000);
    expect([...hit.keys()].sort()).toEqual(ROWS.map(({ id }) => id).sort());
  }, 120_000);

  it("is explained by the rows of the page", () => {
    const page = new URL("../../../docs/reference/express-differences.md", import.meta.url);
    const [told] = readFileSync(page, "utf8").split("\nThese do not show");
    const ids = [...(told ?? "").matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, id]) => id);
    expect(ids.sort()).toEqual(ROWS.map(({ id }) => id).sort());
  });
});
