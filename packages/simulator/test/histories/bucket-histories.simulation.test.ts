import { tokenBucket } from "@tidegate/core";
import { describe, it } from "vitest";
import type { Scenario } from "../../src/index.ts";
import { runHistories, tellWhatWasSimulated } from "./run-histories.ts";

/** So slow that almost nothing leaks out during a history: the level is what was counted. */
const policies = [tokenBucket({ capacity: 1_000_000, refillPerSecond: 0.001 })];
const buckets: Scenario = { policies, actions: 150, promise: "bound" };
/** Whenever a replica joins or leaves, the median of all clocks moves by minutes. */
const wrong: Scenario = { ...buckets, clockMs: 600_000 };

describe("whatever the network does", () => {
  it("no replica sees hits in a bucket that did not happen, and all see all where nothing is lost", () =>
    runHistories({ ...buckets, lossless: true, promise: "exact" }));

  const lossy: [string, Scenario][] = [
    ["frames", buckets],
    ["frames, crashes", { ...buckets, crashes: true }],
    ["frames, resets", { ...buckets, resets: true }],
    ["keys", { ...buckets, maxKeys: 3 }],
    ["clocks ten minutes off", wrong],
    ["clocks ten minutes off, crashes, resets", { ...wrong, crashes: true, resets: true }],
    ["clocks two minutes off, keys", { ...wrong, clockMs: 120_000, maxKeys: 3 }],
  ];
  it.each(lossy)(
    "no replica sees hits in a bucket that did not happen, whatever is lost: %s",
    (_, options) => runHistories(options),
  );

  tellWhatWasSimulated();
});
