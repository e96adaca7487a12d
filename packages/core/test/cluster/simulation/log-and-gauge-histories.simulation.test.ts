import { describe, expect, it } from "vitest";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { slidingLog } from "../../../src/policies/sliding-log.ts";
import { DELAY_MS_MAX, type HistoryOptions } from "./history.ts";
import { HeldTruth, LeavingTruth } from "./history-truth.ts";
import { expectAgreement, expectExact, runHistories, viewsInTheEnd } from "./run-histories.ts";

const HOUR = 3_600_000;
const SHORT_MS = 4_000;
/** Frames take so long at most, and repeated ones three seconds more. */
const LATE_MS = 1.5 * DELAY_MS_MAX + 3_000;

const logs = [slidingLog({ limit: 1_000_000, windowMs: HOUR })];
const shortLogs = [slidingLog({ limit: 1_000_000, windowMs: SHORT_MS })];
const gauges = [concurrency({ limit: 1_000_000 })];

const held: Pick<HistoryOptions, "truth" | "releases" | "policies" | "steps"> = {
  policies: gauges,
  truth: () => new HeldTruth(),
  releases: true,
  steps: 150,
};

describe("whatever the network does", () => {
  const exact: [string, HistoryOptions][] = [
    ["logs", { policies: logs, steps: 150 }],
    ["logs, clocks ten minutes off", { policies: logs, steps: 150, clockMs: 600_000 }],
    ["logs and refunds", { policies: logs, steps: 150, refunds: true }],
    [
      "logs and refunds of limiters that are made again",
      { policies: logs, steps: 150, refunds: true, remakes: true },
    ],
    ["what is held", held],
    ["what is held by limiters that are made again", { ...held, remakes: true }],
    ["what is held, clocks ten minutes off", { ...held, clockMs: 600_000 }],
    ["what is held, also by those who crash", { ...held, crashes: true }],
  ];
  it.each(exact)(
    "no replica sees hits that did not happen, and all see all at the end: %s",
    (_, options) => runHistories(options, expectExact),
  );

  it("no replica sees hits that have left a log, or hits that have not happened", () => {
    const truth = (now: () => number): LeavingTruth => new LeavingTruth(SHORT_MS, LATE_MS, now);
    return runHistories({ policies: shortLogs, truth, steps: 150 }, (history) => {
      history.fleet.pass(SHORT_MS + LATE_MS);
      for (const [key, seen] of viewsInTheEnd(history)) expect(seen, key).toEqual(new Set([0]));
    });
  });

  const agreeing: [string, HistoryOptions][] = [
    ["resets, refunds", { policies: logs, steps: 150, resets: true, refunds: true }],
    ["crashes", { policies: logs, steps: 150, crashes: true }],
  ];
  it.each(agreeing)("all see the same of logs at the end: %s", (_, options) =>
    runHistories(options, expectAgreement),
  );

  const lossy: [string, HistoryOptions][] = [
    ["logs", { policies: logs, steps: 150 }],
    ["what is held", held],
  ];
  it.each(lossy)("no replica sees hits that did not happen, with too few keys: %s", (_, options) =>
    runHistories({ ...options, maxKeys: 3 }),
  );
});
