/**
 * Runs the jobs of sections with both builds, start by start.
 *
 * A job that only the other build cannot do is reported as such, and every other failure as a failure.
 */

import type { Job } from "../job.ts";
import type { ScenarioName } from "../scenarios/catalogue.ts";
import type { Section } from "../section.ts";
import { Comparison } from "./comparison.ts";
import { comparablePart, OtherFailure, type RunJob, runStart } from "./paired-job.ts";

export interface Comparing {
  /** The workers beside the packages of the other commit. */
  readonly workers: string;
  /** One start of each job, which tells nothing of the spread. */
  readonly quick: boolean;
  readonly run: RunJob;
  readonly begin: (title: string) => void;
  readonly fail: (title: string, error: unknown) => void;
}

/** Times differ from process to process, by what the compiler made of the code; bytes and frames less. */
const STARTS_OF_TIMES = 5;
const STARTS = 3;
const TIMES: ReadonlySet<ScenarioName> = new Set([
  ...(["speed", "requestCost", "sharedCheck", "merging", "propagation"] as const),
]);

/** Yields each heading with its comparison; a section without a part of tidegate is not about it. */
export async function* compareSections(
  sections: readonly Section[],
  comparing: Comparing,
): AsyncGenerator<{ heading: string; comparison: Comparison }> {
  for (const { heading, jobs } of sections) {
    const parts = jobs.flatMap((job) => comparablePart(job) ?? []);
    if (parts.length === 0) continue;
    const comparison = new Comparison();
    for (const job of parts)
      await compareJob(job, `${heading}, ${job.title}`, comparison, comparing);
    yield { heading, comparison };
  }
}

async function compareJob(
  job: Job,
  title: string,
  comparison: Comparison,
  { workers, quick, run, begin, fail }: Comparing,
): Promise<void> {
  const startsOfKind = TIMES.has(job.scenario) ? STARTS_OF_TIMES : STARTS;
  const starts = quick ? 1 : startsOfKind;
  try {
    for (let start = 0; start < starts; start++) {
      begin(`${title}, start ${start + 1} of ${starts}`);
      comparison.add(await runStart(job, workers, start, run));
    }
  } catch (error) {
    if (error instanceof OtherFailure) comparison.cannot(job.title, error.message);
    else fail(title, error);
  }
}
