import { describe, expect, it } from "vitest";
import type { ScenarioRecord } from "../src/scenarios/catalogue.ts";
import type { LongWork } from "../src/scenarios/sync/long-work.ts";
import { syncTargets } from "../src/suites/sync-targets.ts";
import { fixedTickMs } from "../src/sync/fixed-tick-formula.ts";

function statusOf(claim: string, ...records: ScenarioRecord[]): string {
  const targets = syncTargets(records.map((record) => ({ heading: "", record })));
  return targets.find((target) => target.claim.includes(claim))!.status;
}

function seen(capMs: number, p99Ms: number, processorUse = 0.5): ScenarioRecord {
  const times = { p50Ms: capMs / 2, p99Ms, maxMs: p99Ms + 1 };
  return { kind: "propagation", processes: 3, capMs, seen: 100, ...times, processorUse };
}

function hot(load: number, frames: number, overshoot: number): ScenarioRecord {
  const shape = { processes: 5, limit: 100, load, tickMs: 10, processorUse: 0.5 };
  return { kind: "hotKey", ...shape, frames, tickFrames: 1_000, overshoot, tickOvershoot: 0.01 };
}

function turn(work: LongWork, turnMs: number, keys = 1_000_000, ownMs = turnMs): ScenarioRecord {
  return { kind: "longWork", keys, work, longest: { turnMs, ownMs }, seconds: 2 };
}

describe("a claim about agreement", () => {
  it("is not measured when its scenario did not run", () => {
    expect(new Set(syncTargets([]).map(({ status }) => status))).toEqual(new Set(["not measured"]));
  });

  it("is judged by the cap that was kept worst", () => {
    expect(statusOf("seen by others", seen(500, 510), seen(10, 24))).toBe("ok");
    expect(statusOf("seen by others", seen(500, 510), seen(10, 26))).toBe("missed");
  });

  it("holds frames and overshoot of each load against the tick of the same run", () => {
    expect(statusOf("hot key at 2 × its limit: at most a fifth", hot(2, 200, 0))).toBe("ok");
    expect(statusOf("hot key at 2 × its limit: at most a fifth", hot(2, 201, 0))).toBe("missed");
    expect(statusOf("hot key at 5 × its limit: at most 0.3", hot(5, 1, 0.0129))).toBe("ok");
    expect(statusOf("hot key at 5 × its limit: at most 0.3", hot(5, 1, 0.0131))).toBe("missed");
  });

  it("is judged by the run that was disturbed least, and by a million keys alone", () => {
    const work = "telling of all keys at once";
    const idle = turn("nothing", 1);
    expect(statusOf(work, idle, turn(work, 30), turn(work, 9))).toBe("ok");
    expect(statusOf(work, idle, turn(work, 30), turn(work, 11))).toBe("missed");
    expect(statusOf(work, idle, turn(work, 30, 1_000_000, 4))).toBe("missed");
    expect(statusOf(work, turn("nothing", 1, 1_000), turn(work, 9, 1_000))).toBe("not measured");
  });

  it("says so when the machine was too busy for any of it to mean much", () => {
    expect(statusOf("of the machine", seen(10, 12, 0.69), seen(50, 52, 0.2))).toBe("ok");
    expect(statusOf("of the machine", seen(10, 12, 0.2), seen(50, 52, 0.71))).toBe("missed");
  });
});

describe("the time that a tree with a fixed tick takes", () => {
  it("grows with its depth", () => {
    expect(fixedTickMs(3, 500)).toBeCloseTo(1_010);
    expect(fixedTickMs(10, 500)).toBeCloseTo(2_484, 0);
    expect(fixedTickMs(1, 500)).toBe(0);
  });
});
