import { describe, expect, it } from "vitest";
import { type Comparing, compareSections } from "../src/against/compare-sections.ts";
import type { Comparison } from "../src/against/comparison.ts";
import type { Job } from "../src/job.ts";
import { comparisonText, conclusionText } from "../src/report/comparison-table.ts";
import { describeMachine } from "../src/report/machine.ts";

const OTHER = "file:///elsewhere/";
const LEAVING: Job = { title: "a closed limiter", scenario: "leaving", parameters: {} };
const FILLING: Job = { title: "filling", scenario: "filling", parameters: { keys: 10 } };

/** Compares a section of these jobs. Each takes 10 ms now; the other build answers or throws. */
async function compared(
  jobs: readonly Job[],
  other: (job: Job) => number,
  given: Partial<Comparing> = {},
): Promise<{ comparisons: Comparison[]; failures: string[]; begun: string[] }> {
  const [failures, begun]: string[][] = [[], []];
  const comparing: Comparing = {
    ...{ workers: OTHER, quick: false },
    run: async (job, { workers }) => [
      { kind: "leaving", endedAfterMs: workers === OTHER ? other(job) : 10 },
    ],
    begin: (title) => begun!.push(title),
    fail: (title, error) => failures!.push(`${title}: ${String(error)}`),
    ...given,
  };
  const comparisons: Comparison[] = [];
  const sections = [{ heading: "Leaving", jobs }];
  for await (const { comparison } of compareSections(sections, comparing)) {
    comparisons.push(comparison);
  }
  return { comparisons, failures: failures!, begun: begun! };
}

describe("compared sections", () => {
  it("start each job several times, and once to be quick", async () => {
    const { begun, comparisons } = await compared([LEAVING], () => 5);
    expect(begun).toEqual(
      [1, 2, 3].map((start) => `Leaving, a closed limiter, start ${start} of 3`),
    );
    expect(comparisonText("Leaving", comparisons[0]!)).toMatch(
      /until the process ends +10\.0 ms +5\.00 ms +2\.00 +±0 % +SLOWER/,
    );
    expect((await compared([LEAVING], () => 5, { quick: true })).begun).toHaveLength(1);
  });

  it("name a job that the other commit cannot do, and go on with the next", async () => {
    const { comparisons, failures } = await compared([FILLING, LEAVING], (job) => {
      if (job === FILLING) throw new Error("no such export");
      return 10;
    });
    const text = comparisonText("Leaving", comparisons[0]!);
    expect(text).toContain("filling: cannot be compared: no such export");
    expect(text).toMatch(/until the process ends .* 1\.00/);
    expect(failures).toEqual([]);
    const machine = { ...describeMachine(), cores: 2, load: 1.5 };
    const conclusion = conclusionText(comparisons, machine, { ...machine, load: 2.5 });
    expect(conclusion).toContain("1 without a difference");
    expect(conclusion).toContain("1 cannot be compared");
    expect(conclusion).toMatch(
      /Load .* 2 cores: 1\.5 before the run and 2\.5 at its end.* run again/,
    );
  });

  it("report a failure of this tree as a failure", async () => {
    const run: Comparing["run"] = () => Promise.reject(new Error("it is broken"));
    const { comparisons, failures } = await compared([LEAVING], () => 10, { run });
    expect(failures).toEqual(["Leaving, a closed limiter: Error: it is broken"]);
    expect(comparisons[0]!.incomparable).toEqual([]);
  });

  it("leave out a heading under which nothing is about tidegate", async () => {
    const peer: Job = {
      title: "koa-ratelimit",
      scenario: "memory",
      parameters: { subject: "koa-ratelimit", keys: 10 },
    };
    expect((await compared([peer], () => 10)).comparisons).toEqual([]);
  });
});
