/**
 * How long a check takes, for all subjects side by side, each in a process of its own.
 *
 * Each collection of young rubbish looks through what is old in the process too. With a gigabyte of
 * other limiters' keys beside it, a subject would pay for them with every object it allocates, and no
 * user has more than one. So this process holds none, and only says whose turn it is.
 *
 * All answers are verified, as is the number of different keys that the requests touched, so no
 * figure can come from a scenario gone wrong.
 */

import { setTimeout } from "node:timers/promises";
import { LaneProcess } from "../lanes/lane-process.ts";
import type { LaneParameters } from "../lanes/subject-lane.ts";
import { distributionOf, type Spread } from "../measure/distribution.ts";
import { timeRounds } from "../measure/rounds.ts";
import { type Summary, summarize } from "../measure/statistics.ts";
import { KEY_MAKING, type SubjectName } from "../subjects/registry.ts";
import type { Verdict } from "../subjects/subject.ts";

export interface SpeedParameters {
  readonly subjects: readonly SubjectName[];
  readonly keys: number;
  readonly spreads: readonly Spread[];
  readonly verdicts: readonly Verdict[];
  /** Requests of one subject in one round. */
  readonly requests: number;
  readonly rounds: number;
  /** The workers beside another commit's packages: each lane then has a twin there, and both take turns. */
  readonly otherWorkers?: string;
}

/** What one subject needed per check. */
export interface SpeedRecord {
  readonly kind: "speed";
  readonly subject: SubjectName;
  readonly keys: number;
  readonly spread: Spread;
  readonly verdict: Verdict;
  /** Different keys touched while measuring. */
  readonly distinctKeys: number;
  readonly requests: number;
  readonly rounds: number;
  /** Nanoseconds per check, making the key included; of the processor in a comparison with another commit. */
  readonly raw: Summary;
  /** Nanoseconds for making the key. */
  readonly keyNs: number;
  /** The median without making the key. */
  readonly netNs: number;
  /** Only of a subject of another commit. */
  readonly build?: "other";
}

/** How long collecting goes on in the background after it has returned. */
const SWEEPING_MS = 400;
const DISTINCT_TOLERANCE = 0.02;

/** Fills every subject with all keys, then warms it up and measures it under each spread. */
export async function measureSpeed(
  parameters: SpeedParameters,
  progress: (activity: string) => void,
): Promise<SpeedRecord[]> {
  const lanes: LaneProcess[] = [];
  try {
    for (const lane of lanesOf(parameters)) {
      progress(`filling ${lane.subject} with ${lane.keys} keys`);
      const opened = new LaneProcess(lane);
      lanes.push(opened);
      await opened.filled();
    }
    const records: SpeedRecord[] = [];
    for (const spread of parameters.spreads) {
      for (const lane of lanes) {
        progress(`${spread}, warming up ${lane.title}`);
        await lane.warmUp(spread);
      }
      records.push(...(await measureSpread(lanes, spread, parameters, progress)));
    }
    return records;
  } finally {
    for (const lane of lanes) lane.close();
  }
}

function lanesOf({
  subjects,
  verdicts,
  keys,
  requests,
  otherWorkers,
}: SpeedParameters): LaneParameters[] {
  const isComparison = otherWorkers !== undefined;
  const builds = isComparison ? [{}, { workers: otherWorkers }] : [{}];
  const common = { keys, requests, byProcessor: isComparison };
  return [
    ...verdicts.flatMap((verdict) =>
      subjects.flatMap((subject) =>
        builds.map((build) => ({ subject, verdict, ...common, ...build })),
      ),
    ),
    { subject: KEY_MAKING, ...common },
  ];
}

async function measureSpread(
  lanes: readonly LaneProcess[],
  spread: Spread,
  { keys, requests, rounds }: SpeedParameters,
  progress: (activity: string) => void,
): Promise<SpeedRecord[]> {
  const { samples, distinctKeys } = await timeRounds(lanes, rounds, async (round) => {
    progress(`${spread}, round ${round + 1} of ${rounds}`);
    await setTimeout(SWEEPING_MS);
  });
  verifyDistinct(distinctKeys, distributionOf(spread, keys).expectedDistinct(requests * rounds));

  const summaries = lanes.map(({ parameters }, lane) => ({
    ...parameters,
    raw: summarize(samples[lane]!),
  }));
  const keyNs = summaries.find(({ subject }) => subject === KEY_MAKING)!.raw.median;
  const shape = { keys, spread, distinctKeys, requests, rounds };
  return summaries.flatMap(({ subject, verdict, raw, workers }) => {
    if (verdict === undefined) return [];
    const times = { raw, keyNs, netNs: raw.median - keyNs };
    const build = workers === undefined ? {} : ({ build: "other" } as const);
    return { kind: "speed", subject, verdict, ...shape, ...times, ...build };
  });
}

function verifyDistinct(found: number, expected: number): void {
  if (Math.abs(found - expected) > expected * DISTINCT_TOLERANCE) {
    throw new Error(
      `the requests touched ${found} different keys, expected about ${Math.round(expected)}`,
    );
  }
}
