import { readFileSync } from "node:fs";
import { explainAll, rowsTold } from "@tidegate/testkit/http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Make, sendThroughBoth } from "./differential/both.ts";
import { ROWS } from "./differential/rows.ts";
import { SCENARIOS } from "./differential/scenario.ts";

const SCENARIOS_COUNT = 300;
const SEED = 20_260_523;

let theirs: Make;

beforeAll(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date", "performance", "hrtime"] });
  // It reads the clock when it is loaded.
  // @ts-expect-error: it has no types of its own.
  ({ default: theirs } = await import("koa-ratelimit"));
});
afterAll(() => {
  vi.useRealTimers();
});

describe("what differs from koa-ratelimit", () => {
  it("is explained by exactly one row of the table each time, and every row by something", async () => {
    const scenarios = fc.sample(SCENARIOS, { numRuns: SCENARIOS_COUNT, seed: SEED });
    const send = sendThroughBoth.bind(null, theirs);
    const { unexplained, rows, responses } = await explainAll(scenarios, send, ROWS);
    expect(unexplained).toEqual([]);
    expect(responses).toBeGreaterThan(2_000);
    expect(rows).toEqual(ROWS.map(({ id }) => id).sort());
  }, 120_000);

  it("is told by the rows of the page", () => {
    const page = new URL("../../../docs/reference/koa-differences.md", import.meta.url);
    expect(rowsTold(readFileSync(page, "utf8"))).toEqual(ROWS.map(({ id }) => id).sort());
  });
});
