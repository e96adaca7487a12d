/**
 * The command `bench`: runs a suite and reports what it found.
 *
 * Findings go to standard output, progress to standard error. The exit code speaks of scenarios
 * that failed, never of figures that disappoint.
 */

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import process, { argv, stderr, stdout } from "node:process";
import { type BenchArguments, readArguments } from "./arguments.ts";
import { fleetChart } from "./http/fleet-chart.ts";
import { runJob } from "./job.ts";
import { describeMachine } from "./report/machine.ts";
import { Progress } from "./report/progress.ts";
import { recordLines, targetLines } from "./report/report-json.ts";
import { machineText, sectionText, targetsText } from "./report/report-table.ts";
import type { ScenarioRecord } from "./scenarios/catalogue.ts";
import { type Finding, type Section, sectionsWith } from "./section.ts";
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

const USAGE = `usage: npm run bench -- core|http|sync [word …] [--quick] [--json]

  core      what a check costs, beside other limiters
  http      what a limiter adds to a request, under each framework
  sync      how soon, and at what price, processes agree

  word      run only scenarios whose heading or title has every word, such as: 1,000,000  memory
  --quick   fewer rounds and smaller tables: finishes within a minute, and claims nothing
  --chart   a file, such as fleet.svg: draws what fleets admit (http fleet)
  --json    one JSON object per line on standard output (npm run --silent keeps npm's own off it)
`;

const options = readArguments(argv.slice(2));
const chosen = SUITES.get(options.suite);
if (options.help || chosen === undefined) {
  stderr.write(USAGE);
  process.exitCode = options.help ? 0 : 2;
} else {
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

function print(text: string): void {
  stdout.write(`${text}\n\n`);
}

function printLine(line: string): void {
  stdout.write(`${line}\n`);
}
