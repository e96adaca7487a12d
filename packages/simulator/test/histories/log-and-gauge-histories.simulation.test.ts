import { concurrency, slidingLog } from "@tidegate/core";
import { describe, it } from "vitest";
import {
  type Check,
  DELAY_MS_MAX,
  HeldTruth,
  type History,
  LATE_MS_MAX,
  LeavingTruth,
  type Scenario,
  TAIL_MS_MAX,
} from "../../src/index.ts";
import { PermitCheck } from "./permit-check.ts";
import { runHistories, tellWhatWasSimulated } from "./run-histories.ts";

const HOUR = 3_600_000;
const SHORT_MS = 4_000;
/** Frames take so long at most, and repeated ones come later. */
const LATE_MS = 1.5 * DELAY_MS_MAX + TAIL_MS_MAX + LATE_MS_MAX;

const logs = [slidingLog({ limit: 1_000_000, windowMs: HOUR })];
const shortLogs = [slidingLog({ limit: 1_000_000, windowMs: SHORT_MS })];
const gauges = [concurrency({ limit: 1_000_000 })];

const all = { policies: logs, actions: 150, promise: "exact" } as const;
const held: Scenario = {
  ...all,
  policies: gauges,
  truth: () => new HeldTruth(),
  releases: true,
};

describe("whatever the network does", () => {
  const exact: [string, Scenario][] = [
    ["logs", all],
    ["logs, clocks ten minutes off", { ...all, clockMs: 600_000 }],
    ["logs and refunds", { ...all, refunds: true }],
    ["logs and refunds of limiters that are made again", { ...all, refunds: true, remakes: true }],
    ["what is held", held],
    ["what is held by limiters that are made again", { ...held, remakes: true }],
    ["what is held, clocks ten minutes off", { ...held, clockMs: 600_000 }],
    ["what is held, also by those who crash", { ...held, crashes: true }],
  ];
  it.each(exact)(
    "no replica sees hits that did not happen, and all see all at the end: %s",
    (_, scenario) => runHistories(scenario, permitChecks),
  );

  it("no replica sees hits that have left a log, or hits that have not happened", () => {
    const truth = (now: () => number): LeavingTruth => new LeavingTruth(SHORT_MS, LATE_MS, now);
    const endsAfterMs = SHORT_MS + LATE_MS;
    return runHistories({ ...all, policies: shortLogs, truth, endsAfterMs });
  });

  const agreeing: [string, Scenario][] = [
    ["resets, refunds", { ...all, resets: true, refunds: true }],
    ["crashes", { ...all, crashes: true }],
  ];
  it.each(agreeing)("all see the same of logs at the end: %s", (_, scenario) =>
    runHistories({ ...scenario, promise: "agreement" }),
  );

  const lossy: [string, Scenario][] = [
    ["logs", all],
    ["what is held", held],
  ];
  it.each(lossy)("no replica sees hits that did not happen, with too few keys: %s", (_, scenario) =>
    runHistories({ ...scenario, promise: "bound", maxKeys: 3 }, permitChecks),
  );

  tellWhatWasSimulated();
});

function permitChecks({ scenario }: History): Check[] {
  return scenario.releases === true ? [new PermitCheck()] : [];
}
