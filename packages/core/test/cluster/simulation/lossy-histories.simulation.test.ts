import { describe, it } from "vitest";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { slidingWindow } from "../../../src/policies/sliding-window.ts";
import type { HistoryOptions } from "./history.ts";
import { expectAgreement, runHistories } from "./run-histories.ts";

const HOUR = 3_600_000;

const windows = [fixedWindow({ limit: 1_000_000, windowMs: HOUR })];
const slots = [slidingWindow({ limit: 1_000_000, windowMs: 24 * HOUR, slots: 2 })];
const minutes = [slidingWindow({ limit: 1_000_000, windowMs: 24 * HOUR, slots: 240 })];

describe("whatever replicas lose or end, and whatever the network does", () => {
  const agreeing: [string, HistoryOptions][] = [
    ["windows", { policies: windows, steps: 150 }],
    ["slots", { policies: slots, steps: 150 }],
  ];
  it.each(agreeing)(
    "all see the same after resets that others had not received: %s",
    (_, options) => runHistories({ ...options, resets: true, refunds: true }, expectAgreement),
  );

  it.each(agreeing)(
    "all see the same counts of crashed replicas, and never more than happened: %s",
    (_, options) => runHistories({ ...options, crashes: true, saysLag: true }, expectAgreement),
  );

  const lossy: [string, HistoryOptions][] = [
    ["crashes, slots, resets", { policies: slots, steps: 150, crashes: true, resets: true }],
    [
      "slots of minutes, clocks ten minutes off",
      { policies: minutes, steps: 150, clockMs: 600_000 },
    ],
    ["too few keys", { policies: windows, steps: 150, maxKeys: 3 }],
  ];
  it.each(lossy)(
    "no replica sees hits that did not happen, although some are lost: %s",
    (_, options) => runHistories(options),
  );
});
