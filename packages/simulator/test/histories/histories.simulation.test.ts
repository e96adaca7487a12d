import { fixedWindow, slidingWindow } from "@tidegate/core";
import { describe, it } from "vitest";
import type { Scenario } from "../../src/index.ts";
import { LagCheck } from "./lag-check.ts";
import { runHistories, tellWhatWasSimulated } from "./run-histories.ts";

const HOUR = 3_600_000;

const windows = [fixedWindow({ limit: 1_000_000, windowMs: HOUR })];
const slots = [slidingWindow({ limit: 1_000_000, windowMs: 24 * HOUR, slots: 2 })];
const days = [fixedWindow({ limit: 1_000_000, windowMs: 24 * HOUR, align: true })];

describe("whatever the network does", () => {
  const all = { actions: 150, promise: "exact" } as const;
  const off = { ...all, clockMs: 600_000 };
  const exact: [string, Scenario][] = [
    ["windows", { ...all, policies: windows }],
    ["windows, clocks ten minutes off", { ...off, policies: windows }],
    ["windows and refunds", { ...all, policies: windows, refunds: true }],
    ["aligned windows and refunds", { ...all, policies: days, refunds: true }],
    ["slots", { ...all, policies: slots }],
    ["slots and refunds", { ...all, policies: slots, refunds: true }],
    ["slots of half a day, clocks ten minutes off", { ...off, policies: slots }],
    ["windows of limiters that are made again", { ...all, policies: windows, remakes: true }],
    [
      "slots and refunds of limiters that are made again",
      { ...all, policies: slots, refunds: true, remakes: true },
    ],
  ];
  it.each(exact)(
    "no replica sees hits that did not happen, and all see all at the end: %s",
    (title, scenario) =>
      runHistories(scenario, () => (/^(windows|slots)$/.test(title) ? [new LagCheck()] : [])),
  );

  tellWhatWasSimulated();
});
