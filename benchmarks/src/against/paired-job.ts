/**
 * One start of a job with the packages of this tree and with those of another commit.
 *
 * Where a scenario times lanes in rounds, lanes of both builds take turns in the same rounds. Any other
 * scenario runs as a whole with the one and with the other, and each second start begins with the other.
 */

import { stripVTControlCharacters } from "node:util";
import type { Job, JobPlace } from "../job.ts";
import type { ScenarioRecord } from "../scenarios/catalogue.ts";
import type { SubjectName } from "../subjects/registry.ts";
import type { Start } from "./comparison.ts";

/** Runs a job to its end, as `runJob` does. */
export type RunJob = (job: Job, place: JobPlace) => Promise<readonly ScenarioRecord[]>;

/** Why only the other build failed, in one line: a worker writes all of it to standard error. */
export class OtherFailure extends Error {
  constructor(error: unknown) {
    const [line = ""] = stripVTControlCharacters(String(error)).split("\n");
    super(line.replace(/^(Error: )+/, ""));
  }
}

/** A scenario may wait for what an older commit never does. */
const MINUTES_MAX = 10;
/** A start needs fewer than a suite; an even number of rounds, so that each build goes first as often as the other. */
const ROUNDS_MAX = 8;
const REQUESTS_MAX = 100_000;

/** The part of a job that is about tidegate; `undefined` if it is about other limiters. */
export function comparablePart(job: Job): Job | undefined {
  switch (job.scenario) {
    case "speed": {
      const subjects = job.parameters.subjects.filter(isTidegate);
      if (subjects.length === 0) return undefined;
      const rounds = Math.min(job.parameters.rounds, ROUNDS_MAX);
      const requests = Math.min(job.parameters.requests, REQUESTS_MAX);
      return { ...job, parameters: { ...job.parameters, subjects, rounds, requests } };
    }
    case "requestCost":
      return { ...job, parameters: { ...job.parameters, limiters: ["tidegate"], starts: 1 } };
    case "memory":
    case "garbage":
      return isTidegate(job.parameters.subject) ? job : undefined;
    case "idle":
      return job.parameters.keys > 0 ? job : undefined;
    case "fleet":
      return job.parameters.limiter === "tidegate" ? job : undefined;
    default:
      return job;
  }
}

function isTidegate(subject: SubjectName): boolean {
  return subject.startsWith("tidegate ");
}

/**
 * Rejects with an `OtherFailure` if only the other build fails.
 *
 * @param workers those beside the packages of the other commit
 * @param start the number of this start
 */
export async function runStart(
  job: Job,
  workers: string,
  start: number,
  run: RunJob,
): Promise<Start> {
  const place = { minutesMax: MINUTES_MAX };
  const both = inTurns(job, workers);
  if (both !== undefined) {
    try {
      const records = await run(both, place);
      return { now: records.filter((one) => !isOther(one)), other: records.filter(isOther) };
    } catch (error) {
      await run(job, place); // If this tree fails by itself, that is the failure to report.
      throw new OtherFailure(error);
    }
  }
  const runOther = (): Promise<readonly ScenarioRecord[]> =>
    run(job, { ...place, workers }).catch((error: unknown) => {
      throw new OtherFailure(error);
    });
  if (start % 2 === 0) return { now: await run(job, place), other: await runOther() };
  const other = await runOther();
  return { now: await run(job, place), other };
}

/** The job with lanes of both builds, if its scenario times lanes of other processes. */
function inTurns(job: Job, otherWorkers: string): Job | undefined {
  switch (job.scenario) {
    case "speed":
      return { ...job, parameters: { ...job.parameters, otherWorkers } };
    case "requestCost":
      return { ...job, parameters: { ...job.parameters, otherWorkers } };
    default:
      return undefined;
  }
}

function isOther(record: ScenarioRecord): boolean {
  return "build" in record && record.build === "other";
}
