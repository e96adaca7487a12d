import { readFileSync } from "node:fs";
import { explainAll, rowsOf } from "@tidegate/testkit/http";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sendThroughBoth } from "./differential/both.ts";
import { ROWS } from "./differential/rows.ts";
import { SCENARIOS } from "./differential/scenario.ts";

const SCENARIOS_COUNT = 300;
const SEED = 20_260_523;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date", "performance", "hrtime"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("what differs from @fastify/rate-limit", () => {
  it("is explained by exactly one row of the table each time, and every row by something", async () => {
    const scenarios = fc.sample(SCENARIOS, { numRuns: SCENARIOS_COUNT, seed: SEED });
    const { unexplained, rows, responses } = await explainAll(scenarios, sendThroughBoth, ROWS);
    expect(unexplained).toEqual([]);
    expect(responses).toBeGreaterThan(4_000);
    expect(rows).toEqual(ROWS.map(({ id }) => id).sort());
  }, 120_000);

  it("is explained by the rows of the page", () => {
    const page = new URL("../../../docs/reference/fastify-differences.md", import.meta.url);
    expect(rowsOf(readFileSync(page, "utf8"))).toEqual(ROWS.map(({ id }) => id).sort());
  });
});
