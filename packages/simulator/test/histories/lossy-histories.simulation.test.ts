import { fixedWindow, slidingWindow } from "@tidegate/core";
import { describe, it } from "vitest";
import type { Scenario } from "../../src/index.ts";
import { LagCheck } from "./lag-check.ts";
import { runHistories, tellWhatWasSimulated } from "./run-histories.ts";

const HOUR = 3_600_000;

const windows = [fixedWindow({ limit: 1_000_000, windowMs: HOUR })];
const slots = [slidingWindow({ limit: 1_000_000, windowMs: 24 * HOUR, slots: 2 })];
const minutes = [slidingWindow({ limit: 1_000_000, windowMs: 24 * HOUR, slots: 240 })];

describe("whatever replicas lose or end, and whatever the network does", () => {
  const all = { actions: 150, promise: "agreement" } as const;
  const agreeing: [string, Scenario][] = [
    ["windows", { ...all, policies: windows }],
    ["slots", { ...all, policies: slots }],
  ];
  it.each(agreeing)(
    "all see the same after resets that others had not received: %s",
    (_, scenario) => runHistories({ ...scenario, resets: true, refunds: true }),
  );

  it.each(agreeing)(
    "all see the same counts of crashed replicas, and never more than happened: %s",
    (_, scenario) => runHistories({ ...scenario, crashes: true }, () => [new LagCheck()]),
  );

  const some = { actions: 150, promise: "bound" } as const;
  const lossy: [string, Scenario][] = [
    ["crashes, slots, resets", { ...some, policies: slots, crashes: true, resets: true }],
    ["slots of minutes, clocks ten minutes off", { ...some, policies: minutes, clockMs: 600_000 }],
    ["too few keys", { ...some, policies: windows, maxKeys: 3 }],
  ];
  it.each(lossy)(
    "no replica sees hits that did not happen, although some are lost: %s",
    (_, scenario) => runHistories(scenario),
  );

  tellWhatWasSimulated();
});
