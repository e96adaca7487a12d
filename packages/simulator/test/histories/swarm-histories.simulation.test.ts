import { concurrency, fixedWindow, type Policy, slidingLog, slidingWindow } from "@tidegate/core";
import { describe, it } from "vitest";
import { HeldTruth, type Scenario } from "../../src/index.ts";
import { runHistories, tellWhatWasSimulated } from "./run-histories.ts";

const HOUR = 3_600_000;
const limit = 1_000_000;

const anything: Omit<Scenario, "policies"> = {
  ...{ actions: 150, promise: "bound", isSwarm: true },
  ...{ crashes: true, remakes: true, clockMs: 600_000, maxKeys: 3 },
};

describe("whatever goes wrong at the same time", () => {
  const counted: [string, readonly Policy[]][] = [
    ["windows", [fixedWindow({ limit, windowMs: HOUR })]],
    ["slots", [slidingWindow({ limit, windowMs: 24 * HOUR, slots: 2 })]],
    ["logs", [slidingLog({ limit, windowMs: HOUR })]],
  ];
  it.each(counted)("no replica sees hits that did not happen: %s", (_, policies) =>
    runHistories({ ...anything, policies, resets: true, refunds: true }),
  );

  it("no replica sees permits that were never held", () => {
    const policies = [concurrency({ limit })];
    return runHistories({ ...anything, policies, truth: () => new HeldTruth(), releases: true });
  });

  tellWhatWasSimulated();
});
