import { describe, it } from "vitest";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { slidingWindow } from "../../../src/policies/sliding-window.ts";
import type { HistoryOptions } from "./history.ts";
import { expectExact, runHistories } from "./run-histories.ts";

const HOUR = 3_600_000;

const windows = [fixedWindow({ limit: 1_000_000, windowMs: HOUR })];
const slots = [slidingWindow({ limit: 1_000_000, windowMs: 24 * HOUR, slots: 2 })];
const days = [fixedWindow({ limit: 1_000_000, windowMs: 24 * HOUR, align: true })];

describe("whatever the network does", () => {
  const exact: [string, HistoryOptions][] = [
    ["windows", { policies: windows, steps: 150, saysLag: true }],
    ["windows, clocks ten minutes off", { policies: windows, steps: 150, clockMs: 600_000 }],
    ["windows and refunds", { policies: windows, steps: 150, refunds: true }],
    ["aligned windows and refunds", { policies: days, steps: 150, refunds: true }],
    ["slots", { policies: slots, steps: 150, saysLag: true }],
    ["slots and refunds", { policies: slots, steps: 150, refunds: true }],
    [
      "slots of half a day, clocks ten minutes off",
      { policies: slots, steps: 150, clockMs: 600_000 },
    ],
    ["windows of limiters that are made again", { policies: windows, steps: 150, remakes: true }],
    [
      "slots and refunds of limiters that are made again",
      { policies: slots, steps: 150, refunds: true, remakes: true },
    ],
    ["aligned days, clocks ten minutes off", { policies: days, steps: 150, clockMs: 600_000 }],
  ];
  it.each(exact)(
    "no replica sees hits that did not happen, and all see all at the end: %s",
    (_, options) => runHistories(options, expectExact),
  );
});
