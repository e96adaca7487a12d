import { describe, expect, it } from "vitest";
import { comparablePart, OtherFailure, type RunJob, runStart } from "../src/against/paired-job.ts";
import type { Job } from "../src/job.ts";
import type { ScenarioRecord } from "../src/scenarios/catalogue.ts";
import type { SpeedRecord } from "../src/scenarios/speed.ts";
import { againstSuite } from "../src/suites/against-suite.ts";
import { coreSuite } from "../src/suites/core-suite.ts";
import { httpSuite } from "../src/suites/http-suite.ts";
import { syncSuite } from "../src/suites/sync-suite.ts";

const OTHER = "file:///elsewhere/";
const LEAVING: Job = { title: "leaving", scenario: "leaving", parameters: {} };
const SPEED: Job = {
  title: "speed",
  scenario: "speed",
  parameters: {
    subjects: ["tidegate fixedWindow", "plain Map"],
    ...{ keys: 1, spreads: ["uniform"], verdicts: ["allowed"], requests: 10, rounds: 3 },
  },
};

function speed(build?: "other"): SpeedRecord {
  const shape = { keys: 1, spread: "uniform", distinctKeys: 1, requests: 10, rounds: 3 } as const;
  const times = { raw: { median: 150, spread: 0 }, keyNs: 50, netNs: 100 };
  const subject = { kind: "speed", subject: "tidegate fixedWindow", verdict: "allowed" } as const;
  return { ...subject, ...shape, ...times, ...(build && { build }) };
}

/** Runs nothing: gives these records, or fails, by the build; `builds` gets the order. */
function runner(answer: (build: "now" | "other" | "both") => readonly ScenarioRecord[]): {
  run: RunJob;
  builds: string[];
} {
  const builds: string[] = [];
  const run: RunJob = async (job, { workers }) => {
    const isBoth = "otherWorkers" in job.parameters && job.parameters.otherWorkers === OTHER;
    const build = isBoth ? "both" : workers === OTHER ? "other" : "now";
    builds.push(build);
    return answer(build);
  };
  return { run, builds };
}

describe("a start of a job", () => {
  it("runs the job as a whole with either build, and each second start begins with the other", async () => {
    const { run, builds } = runner((build) => [
      { kind: "leaving", endedAfterMs: build === "now" ? 1 : 2 },
    ]);
    for (const start of [0, 1, 2]) {
      expect(await runStart(LEAVING, OTHER, start, run)).toEqual({
        now: [{ kind: "leaving", endedAfterMs: 1 }],
        other: [{ kind: "leaving", endedAfterMs: 2 }],
      });
    }
    expect(builds).toEqual(["now", "other", "other", "now", "now", "other"]);
  });

  it("times lanes of both builds in one run", async () => {
    const { run, builds } = runner(() => [speed(), speed("other")]);
    const start = await runStart(SPEED, OTHER, 0, run);
    expect(start).toEqual({ now: [speed()], other: [speed("other")] });
    expect(builds).toEqual(["both"]);
  });

  it.each([LEAVING, SPEED])(
    "says in a line why only the other build fails: $title",
    async (job) => {
      const { run } = runner((build) => {
        if (build === "now") return [];
        throw new Error("Error: \u001b[31mno such export\u001b[0m\n    at a line");
      });
      const failing = runStart(job, OTHER, 0, run);
      await expect(failing).rejects.toBeInstanceOf(OtherFailure);
      await expect(failing).rejects.toThrow(/^no such export$/);
    },
  );

  it.each([LEAVING, SPEED])("fails itself where this tree fails too: $title", async (job) => {
    const { run } = runner((build) => {
      throw new Error(`${build} is broken`);
    });
    await expect(runStart(job, OTHER, 0, run)).rejects.toThrow(/^now is broken$/);
  });
});

describe("what is compared", () => {
  it("of a job that times several limiters is tidegate", () => {
    const part = comparablePart(SPEED);
    expect(part).toMatchObject({ parameters: { subjects: ["tidegate fixedWindow"] } });
  });

  it("is every job of all suites, except those about other limiters or none", () => {
    const sections = [...coreSuite(true), ...httpSuite(true), ...syncSuite(true)];
    const jobs = sections.flatMap((section) => section.jobs);
    const left = jobs.filter((job) => comparablePart(job) === undefined);
    expect(left.map(({ title }) => title).filter((title) => title.includes("tidegate"))).toEqual(
      [],
    );
    expect(new Set(left.map(({ scenario }) => scenario))).toEqual(
      new Set(["memory", "garbage", "idle", "fleet"]),
    );
  });

  it("without a suite has checks, requests, merging, agreement and frames", () => {
    const scenarios = againstSuite(false).flatMap(({ jobs }) => jobs.map((job) => job.scenario));
    expect(new Set(scenarios)).toEqual(
      new Set([
        ...["speed", "garbage", "requestCost", "merging"],
        ...["propagation", "hotKey", "manyKeys", "sharedCheck"],
      ]),
    );
  });
});
