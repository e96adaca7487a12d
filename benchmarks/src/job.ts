/**
 * One scenario with its parameters, and the process it runs in.
 *
 * Every job gets a new process with stated flags. Heaps do not disturb each other, code compiled
 * for one scenario is not judged by another, and whatever a limiter leaves running ends with it.
 */

import { spawn } from "node:child_process";
import { execPath } from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { COMMON_FLAGS } from "./node-flags.ts";
import type { ScenarioName, ScenarioParameters, ScenarioRecord } from "./scenarios/catalogue.ts";
import { workerAt } from "./workers.ts";

/** A scenario to run. The title names it to people, and to the filter on the command line. */
export type Job = {
  readonly [Name in ScenarioName]: {
    readonly title: string;
    readonly scenario: Name;
    readonly parameters: ScenarioParameters<Name>;
    /** Flags of the runtime beside those that every job gets. */
    readonly nodeFlags?: readonly string[];
  };
}[ScenarioName];

const LEAVING_MS_MAX = 5_000;

/** What a worker writes, one JSON object per line. */
export type WorkerLine =
  | { readonly progress: string }
  | { readonly records: readonly ScenarioRecord[] }
  | { readonly error: string };

export interface JobPlace {
  /** The folder of workers, if not this one. */
  readonly workers?: string | undefined;
  /** A job that takes longer fails. */
  readonly minutesMax?: number;
}

/** Runs a job to its end and returns what it measured; rejects if the scenario fails. */
export async function runJob(
  job: Job,
  progress: (activity: string) => void,
  { workers, minutesMax = Infinity }: JobPlace = {},
): Promise<readonly ScenarioRecord[]> {
  const worker = fileURLToPath(workerAt("worker.js", workers));
  const flags = [...COMMON_FLAGS, ...(job.nodeFlags ?? [])];
  const child = spawn(execPath, [...flags, worker, job.scenario, JSON.stringify(job.parameters)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<{ code: number | null; at: number }>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve({ code, at: performance.now() }));
  });

  let records: readonly ScenarioRecord[] | undefined;
  let failure: string | undefined;
  let finishedAt = 0;
  let impatience: NodeJS.Timeout | undefined;
  if (minutesMax < Infinity) {
    impatience = setTimeout(() => {
      failure = `it did not end within ${minutesMax} minutes`;
      child.kill("SIGKILL");
    }, 60_000 * minutesMax);
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as WorkerLine;
    if ("progress" in message) {
      progress(message.progress);
    } else if ("error" in message) {
      failure = message.error;
    } else {
      records = message.records;
      finishedAt = performance.now();
      clearTimeout(impatience);
      impatience = setTimeout(() => child.kill("SIGKILL"), LEAVING_MS_MAX);
    }
  }
  const { code, at } = await ended;
  clearTimeout(impatience);
  if (records === undefined) throw new Error(failure ?? `it ended with exit code ${code}`);
  if (job.scenario !== "leaving") return records;
  return [{ kind: "leaving", endedAfterMs: code === 0 ? at - finishedAt : null }];
}
