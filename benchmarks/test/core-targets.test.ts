import { describe, expect, it } from "vitest";
import { CORE_HEADINGS } from "../src/core-suite.ts";
import { coreTargets } from "../src/core-targets.ts";
import type { ScenarioRecord } from "../src/scenarios/catalogue.ts";

function statusOf(claim: string, heading: string, ...records: ScenarioRecord[]): string {
  const targets = coreTargets(records.map((record) => ({ heading, record })));
  return targets.find((target) => target.claim.includes(claim))!.status;
}

function weighed(keys: number, managedBytesPerKey: number): ScenarioRecord {
  const resident = { residentBytesPerKey: 0, residentBytes: 0, residentBytesPeak: 0 };
  const subject = "tidegate fixedWindow";
  return { kind: "memory", subject, keys, managedBytesPerKey, ...resident };
}

describe("a claim", () => {
  it("is not measured when its scenario did not run", () => {
    expect(new Set(coreTargets([]).map(({ status }) => status))).toEqual(new Set(["not measured"]));
  });

  it("about memory is judged at the size where a key costs most", () => {
    const claim = "fixedWindow: at most 64 bytes";
    expect(statusOf(claim, CORE_HEADINGS.memory, weighed(100, 60), weighed(200, 64))).toBe("ok");
    expect(statusOf(claim, CORE_HEADINGS.memory, weighed(100, 65), weighed(200, 50))).toBe(
      "missed",
    );
  });

  it("about leaving is missed by a process that had to be killed", () => {
    const claim = "closed: the process ends";
    const { leaving } = CORE_HEADINGS;
    expect(statusOf(claim, leaving, { kind: "leaving", endedAfterMs: 12 })).toBe("ok");
    expect(statusOf(claim, leaving, { kind: "leaving", endedAfterMs: null })).toBe("missed");
  });
});
