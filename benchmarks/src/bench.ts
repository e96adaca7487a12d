/**
 * The command `bench`: runs a suite and reports what it found.
 *
 * Findings go to standard output, progress to standard error. The exit code speaks of scenarios
 * that failed, never of figures that disappoint.
 */

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import process, { argv, stderr, stdout } from "node:process";
import { compareSections } from "./against/compare-sections.ts";
import type { Comparison } from "./against/comparison.ts";
import { openCommit } from "./against/other-commit.ts";
import { type BenchArguments, readArguments } from "./arguments.ts";
import { fleetChart } from "./http/fleet-chart.ts";
import { runJob } from "./job.ts";
import { comparisonLines, comparisonText, conclusionText } from "./report/comparison-table.ts";
import { describeMachine } from "./report/machine.ts";
import { Progress } from "./report/progress.ts";
import { recordLines, targetLines } from "./report/report-json.ts";
import { machineText, sectionText, targetsText } from "./report/report-table.ts";
import type { ScenarioRecord } from "./scenarios/catalogue.ts";
import { type Finding, type Section, sectionsWith } from "./section.ts";
import { againstSuite } from "./suites/against-suite.ts";
import { coreSuite } from "./suites/core-suite.ts";
import { coreTargets } from "./suites/core-targets.ts";
import { httpSuite } from "./suites/http-suite.ts";
import { httpTargets } from "./suites/http-targets.ts";
import { syncSuite } from "./suites/sync-suite.ts";
import { syncTargets } from "./suites/sync-targets.ts";
import type { TargetResult } from "./target.ts";

interface Suite {
  readonly sections: (quick: boolean) => readonly Section[];
  readonly targets: (findings: readonly Finding[]) => readonly TargetResult[];
}

const SUITES: ReadonlyMap<string, Suite> = new Map([
  ["core", { sections: coreSuite, targets: coreTargets }],
  ["http", { sections: httpSuite, targets: httpTargets }],
  ["sync", { sections: syncSuite, targets: syncTargets }],
]);

const USAGE = `usage: npm run bench -- core|http|sync [word …] [--quick] [--json] [--against <commit>]

  core      what a check costs, beside other limiters
  http      what a limiter adds to a request, under each framework
  sync      how soon, and at what price, processes agree

  word      run only scenarios whose heading or title has every word, such as: 1,000,000  memory
  --against a commit, such as HEAD~1: compares the packages of this tree with those of the commit;
            without a suite: what a change could make worse, in a quarter of an hour
  --quick   fewer rounds and smaller tables: finishes within a minute, and claims nothing
  --chart   a file, such as fleet.svg: draws what fleets admit (http fleet), without --against
  --json    one JSON object per line on standard output (npm run --silent keeps npm's own off it)
`;

const options = readArguments(argv.slice(2));
const { against } = options;
const chosen = SUITES.get(options.suite);
const isComplete =
  against === undefined
    ? chosen !== undefined
    : (chosen !== undefined || options.suite === "") && options.chart === undefined;
if (options.help || !isComplete) {
  stderr.write(USAGE);
  process.exitCode = options.help ? 0 : 2;
} else if (against !== undefined) {
  const sections = (chosen?.sections ?? againstSuite)(options.quick);
  process.exitCode = (await runAgainst(against, sections, options)) ? 0 : 1;
} else if (chosen !== undefined) {
  process.exitCode = (await runSuite(chosen, options)) ? 0 : 1;
}

/** Runs the sections wanted, reports each as it ends, and returns whether all jobs succeeded. */
async function runSuite(
  { sections, targets: targetsOf }: Suite,
  { words, json, quick, chart }: BenchArguments,
): Promise<boolean> {
  const machine = describeMachine();
  const progress = new Progress();
  const findings: Finding[] = [];
  let succeeded = true;

  if (!json) print(machineText(machine));
  for (const { heading, jobs } of sectionsWith(sections(quick), words)) {
    const records: ScenarioRecord[] = [];
    for (const job of jobs) {
      progress.begin(`${heading}, ${job.title}`);
      try {
        records.push(...(await runJob(job, (activity) => progress.activity(activity))));
      } catch (error) {
        succeeded = false;
        progress.end();
        stderr.write(`FAILED: ${heading}, ${job.title}: ${String(error)}\n`);
      }
    }
    progress.end();
    findings.push(...records.map((record) => ({ heading, record })));
    if (json) recordLines(machine, heading, records).forEach(printLine);
    else print(sectionText(heading, records));
  }

  const fleets = findings.flatMap(({ record }) => (record.kind === "fleet" ? record : []));
  if (chart !== undefined) {
    // npm runs this in the folder of the workspace, and says in which one it was called itself.
    writeFileSync(resolve(process.env["INIT_CWD"] ?? "", chart), fleetChart(fleets));
  }
  const targets = targetsOf(findings);
  if (json) targetLines(machine, targets).forEach(printLine);
  else print(targetsText(targets));
  return succeeded;
}

/** Compares the sections wanted with another commit; returns whether this tree did all of its jobs. */
async function runAgainst(
  commit: string,
  sections: readonly Section[],
  { words, json, quick }: BenchArguments,
): Promise<boolean> {
  const machine = describeMachine();
  const other = openCommit(commit);
  if (other === undefined) return false;
  const progress = new Progress();
  const comparisons: Comparison[] = [];
  let succeeded = true;

  if (!json) print(`${machineText(machine)}\nnow: this tree; then: ${other.title}`);
  const compared = compareSections(sectionsWith(sections, words), {
    ...{ workers: other.workers, quick },
    run: (job, place) => runJob(job, (activity) => progress.activity(activity), place),
    begin: (title) => progress.begin(title),
    fail: (title, error) => {
      succeeded = false;
      progress.end();
      stderr.write(`FAILED: ${title}: ${String(error)}\n`);
    },
  });
  for await (const { heading, comparison } of compared) {
    progress.end();
    comparisons.push(comparison);
    if (json) comparisonLines(machine, other, heading, comparison).forEach(printLine);
    else print(comparisonText(heading, comparison));
  }
  if (comparisons.length === 0) {
    stderr.write(`no scenario with tidegate has each of these words: ${words.join(" ")}\n`);
  }
  if (!json) print(conclusionText(comparisons, machine, describeMachine()));
  return succeeded;
}

function print(text: string): void {
  stdout.write(`${text}\n\n`);
}

function printLine(line: string): void {
  stdout.write(`${line}\n`);
}
