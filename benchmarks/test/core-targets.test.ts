import { describe, expect, it } from "vitest";
import type { TrafficName } from "../src/cluster/traffic.ts";
import type { ScenarioRecord } from "../src/scenarios/catalogue.ts";
import type { SubjectName } from "../src/subjects/registry.ts";
import { CORE_HEADINGS } from "../src/suites/core-suite.ts";
import { coreTargets } from "../src/suites/core-targets.ts";

function statusOf(claim: string, heading: string, ...records: ScenarioRecord[]): string {
  const targets = coreTargets(records.map((record) => ({ heading, record })));
  return targets.find((target) => target.claim.includes(claim))!.status;
}

function weighed(keys: number, managedBytesPerKey: number): ScenarioRecord {
  const resident = { residentBytesPerKey: 0, residentBytes: 0, residentBytesPeak: 0 };
  const subject = "tidegate fixedWindow";
  return { kind: "memory", subject, keys, managedBytesPerKey, ...resident };
}

function shared(traffic: TrafficName, others: number, addedBytesPerKey: number): ScenarioRecord {
  const alone = { keys: 100, aloneBytesPerKey: 50 };
  const managedBytesPerKey = 50 + others * addedBytesPerKey;
  return { kind: "clusterMemory", traffic, others, ...alone, managedBytesPerKey, addedBytesPerKey };
}

function timed(subject: SubjectName, median: number, spread: number): ScenarioRecord {
  const shape = { keys: 1, spread: "uniform", distinctKeys: 1, requests: 10, rounds: 3 } as const;
  const raw = { median, spread };
  return {
    kind: "speed",
    subject,
    verdict: "allowed",
    ...shape,
    raw,
    keyNs: 50,
    netNs: median - 50,
  };
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

  it("about what further replicas add is judged where one adds most", () => {
    const claim = "32 more per replica that opened its own window";
    const heading = CORE_HEADINGS.clusterMemory;
    const [sameWindow, ownWindow] = [
      "fixedWindow, one window",
      "fixedWindow, a window each",
    ] as const;
    const usual = [shared(ownWindow, 4, 30), shared(sameWindow, 1, 40)];
    expect(statusOf(claim, heading, ...usual)).toBe("ok");
    expect(statusOf(claim, heading, ...usual, shared(ownWindow, 1, 48))).toBe("missed");
  });

  it("about a key that two replicas counted leaves out what more of them counted", () => {
    const claim = "at most 240 bytes per key that two counted";
    const heading = CORE_HEADINGS.clusterMemory;
    const records = [1, 2].map((others) => shared("slidingWindow, every slot", others, 190));
    expect(statusOf(claim, heading, ...records)).toBe("ok");
    expect(statusOf(claim, heading, records[1]!)).toBe("not measured");
  });

  it("about speed warns when the rounds were uneven", () => {
    const heading = CORE_HEADINGS.hotKey;
    const notes = [0.02, 0.3].map((spread) => {
      const findings = [
        timed("tidegate fixedWindow", 100, spread),
        timed("express-rate-limit", 300, 0.01),
      ];
      const targets = coreTargets(findings.map((record) => ({ heading, record })));
      return targets.find(({ claim }) => claim.includes("express-rate-limit"))!.note;
    });
    expect(notes[0]).not.toContain("uneven");
    expect(notes[1]).toContain("uneven, ±30 %");
  });

  it("about leaving is missed by a process that had to be killed", () => {
    const claim = "closed: the process ends";
    const { leaving } = CORE_HEADINGS;
    expect(statusOf(claim, leaving, { kind: "leaving", endedAfterMs: 12 })).toBe("ok");
    expect(statusOf(claim, leaving, { kind: "leaving", endedAfterMs: null })).toBe("missed");
  });
});
