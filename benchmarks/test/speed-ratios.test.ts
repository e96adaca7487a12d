import { describe, expect, it } from "vitest";
import { compareSpeeds } from "../src/report/speed-ratios.ts";
import type { SpeedRecord } from "../src/scenarios/speed.ts";
import type { SubjectName } from "../src/subjects/registry.ts";
import type { Verdict } from "../src/subjects/subject.ts";

function record(subject: SubjectName, median: number, verdict: Verdict = "allowed"): SpeedRecord {
  const shape = { keys: 1, spread: "uniform", distinctKeys: 1, requests: 10, rounds: 3 } as const;
  const raw = { median, spread: 0 };
  return { kind: "speed", subject, verdict, ...shape, raw, keyNs: 50, netNs: median - 50 };
}

describe("compareSpeeds", () => {
  it("gives the time beside tidegate's, with and without making the key", () => {
    const compared = compareSpeeds([record("tidegate fixedWindow", 150), record("plain Map", 250)]);
    expect(compared.map(({ rawRatio }) => rawRatio)).toEqual([1, 250 / 150]);
    expect(compared.map(({ netRatio }) => netRatio)).toEqual([1, 2]);
  });

  it("compares answers of one kind only", () => {
    const compared = compareSpeeds([
      record("tidegate fixedWindow", 150),
      record("tidegate fixedWindow", 100, "refused"),
      record("plain Map", 250, "refused"),
    ]);
    expect(compared[2]!.rawRatio).toBe(2.5);
  });

  it("has nothing to say without tidegate", () => {
    expect(compareSpeeds([record("plain Map", 250)])[0]!.rawRatio).toBeUndefined();
  });
});
