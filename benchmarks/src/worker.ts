/**
 * The process of one job: `worker.js <scenario> <parameters as JSON>`.
 *
 * It can be started by hand, under a profiler for example. It does not end itself: that it ends is
 * one of the things measured.
 */

import { argv, stdout } from "node:process";
import type { WorkerLine } from "./job.ts";
import { runScenario, type ScenarioName } from "./scenarios/catalogue.ts";

const [scenario, parameters] = argv.slice(2);
if (scenario === undefined || parameters === undefined) {
  throw new Error("usage: node --expose-gc worker.js <scenario> <parameters as JSON>");
}

try {
  const records = await runScenario(scenario as ScenarioName, JSON.parse(parameters), (activity) =>
    write({ progress: activity }),
  );
  write({ records });
} catch (error) {
  write({ error: String(error) });
  throw error;
}

function write(line: WorkerLine): void {
  stdout.write(`${JSON.stringify(line)}\n`);
}
