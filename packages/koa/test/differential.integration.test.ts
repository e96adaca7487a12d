import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { explainAll, rowsOf } from "@tidegate/testkit/http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Make, optionsFor, sendThroughBoth } from "./differential/both.ts";
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

  it("is looked for with every option that its page names", () => {
    const require = createRequire(import.meta.url);
    const page = readFileSync(join(dirname(require.resolve("koa-ratelimit")), "README.md"), "utf8");
    const [, list = ""] = /## Options\n([\s\S]*?)\n## /.exec(page) ?? [];
    const names = Array.from(list.matchAll(/^\* `(\w+)`/gm), ([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(10);
    const given = fc
      .sample(SCENARIOS, { numRuns: SCENARIOS_COUNT, seed: SEED })
      .map(({ options }) => optionsFor(options));
    const known = given.flatMap((options) => [
      ...Object.keys(options),
      ...Object.keys(options["headers"] ?? {}),
    ]);
    // Each application has a Map of its own.
    expect(names.filter((name) => ![...known, "db"].includes(name))).toEqual([]);
  });

  it("is explained by the rows of the page", () => {
    const page = new URL("../../../docs/reference/koa-differences.md", import.meta.url);
    expect(rowsOf(readFileSync(page, "utf8"))).toEqual(ROWS.map(({ id }) => id).sort());
  });
});
