/**
 * The suite `core`: what a check costs in time, memory, garbage and idle time.
 *
 * The quick form leaves out what takes long, a million keys and more above all; its figures show
 * whether something broke, and are no basis for a claim.
 */

import { TRAFFIC_NAMES, type TrafficName } from "../cluster/traffic.ts";
import type { Job } from "../job.ts";
import { UNDISTURBED_FLAGS, YOUNG_GENERATION_FLAGS } from "../node-flags.ts";
import type { SpeedParameters } from "../scenarios/speed.ts";
import type { Section } from "../section.ts";
import {
  EVERY_SLOT,
  PEER_LIMITERS,
  PLAIN_MAP,
  type SubjectName,
  TIDEGATE_SUBJECTS,
} from "../subjects/registry.ts";

/** The headings, by which the targets find what was measured. */
export const CORE_HEADINGS = {
  hotKey: "One hot key",
  hundredThousand: "100,000 keys",
  million: "1,000,000 keys",
  policiesHotKey: "Policies of tidegate, one hot key",
  policiesManyKeys: "Policies of tidegate, 100,000 keys",
  memory: "Memory per key",
  clusterMemory: "Memory per key within a cluster",
  filling: "Longest check while filling",
  garbage: "Garbage per check",
  idle: "Idle",
  leaving: "Leaving",
} as const;

const SIDE_BY_SIDE: readonly SubjectName[] = [TIDEGATE_SUBJECTS[0], ...PEER_LIMITERS, PLAIN_MAP];
const MILLION = 1_000_000;
/** Sizes around which tables double, and some between. */
const TABLE_SIZES = [100_000, 200_000, 500_000, MILLION, 2 * MILLION, 5 * MILLION, 10 * MILLION];
const AWKWARD_TABLE_SIZES = [131_073, 300_000, 700_001, 1_500_000, 3_355_444];

export function coreSuite(quick: boolean): Section[] {
  return [
    speed(CORE_HEADINGS.hotKey, {
      subjects: SIDE_BY_SIDE,
      keys: 1,
      spreads: ["uniform"],
      verdicts: ["allowed", "refused"],
      requests: quick ? 100_000 : 300_000,
      rounds: quick ? 5 : 13,
    }),
    speed(CORE_HEADINGS.hundredThousand, {
      subjects: SIDE_BY_SIDE,
      keys: 100_000,
      spreads: quick ? ["uniform"] : ["uniform", "zipf"],
      verdicts: ["allowed", "refused"],
      requests: quick ? 100_000 : 300_000,
      rounds: quick ? 3 : 7,
    }),
    ...(quick ? [] : [millionKeys()]),
    speed(CORE_HEADINGS.policiesHotKey, {
      subjects: TIDEGATE_SUBJECTS,
      keys: 1,
      spreads: ["uniform"],
      verdicts: ["allowed", "refused"],
      requests: 60_000, // All of them together must fit the largest limit of a log.
      rounds: quick ? 3 : 9,
    }),
    speed(CORE_HEADINGS.policiesManyKeys, {
      subjects: TIDEGATE_SUBJECTS,
      keys: 100_000,
      spreads: ["uniform"],
      verdicts: ["allowed"],
      requests: quick ? 100_000 : 300_000,
      rounds: quick ? 3 : 7,
    }),
    { heading: CORE_HEADINGS.memory, jobs: memoryJobs(quick) },
    { heading: CORE_HEADINGS.clusterMemory, jobs: clusterMemoryJobs(quick) },
    { heading: CORE_HEADINGS.filling, jobs: fillingJobs(quick) },
    { heading: CORE_HEADINGS.garbage, jobs: garbageJobs() },
    { heading: CORE_HEADINGS.idle, jobs: idleJobs(quick) },
    {
      heading: CORE_HEADINGS.leaving,
      jobs: [{ title: "a closed limiter", scenario: "leaving", parameters: {} }],
    },
  ];
}

/** While one subject is timed the others do nothing, and the runtime is not to use that time. */
function speed(heading: string, parameters: SpeedParameters): Section {
  const job = {
    title: "speed",
    scenario: "speed",
    parameters,
    nodeFlags: UNDISTURBED_FLAGS,
  } as const;
  return { heading, jobs: [job] };
}

function millionKeys(): Section {
  return speed(CORE_HEADINGS.million, {
    subjects: SIDE_BY_SIDE,
    keys: MILLION,
    spreads: ["uniform", "zipf"],
    verdicts: ["allowed"],
    requests: 400_000,
    rounds: 7,
  });
}

function memoryJobs(quick: boolean): Job[] {
  const weigh = (subject: SubjectName, keys: number): Job => ({
    title: `${subject}, ${keys} keys`,
    scenario: "memory",
    parameters: { subject, keys },
  });
  const sizes = quick ? [100_000, 131_073] : [...TABLE_SIZES, ...AWKWARD_TABLE_SIZES];
  const ascending = sizes.toSorted((left, right) => left - right);
  const [fixedWindow, slidingWindow, ...others] = TIDEGATE_SUBJECTS;
  const everySlot = quick ? [100_000] : [100_000, 700_001];
  return [
    ...[fixedWindow, slidingWindow].flatMap((subject) =>
      ascending.map((keys) => weigh(subject, keys)),
    ),
    ...everySlot.map((keys) => weigh(EVERY_SLOT, keys)),
    ...others.map((subject) => weigh(subject, 100_000)),
    ...SIDE_BY_SIDE.slice(1).map((subject) => weigh(subject, quick ? 100_000 : MILLION)),
  ];
}

/** What others add lies beside the records, and so depends on who counted more than on the size. */
function clusterMemoryJobs(quick: boolean): Job[] {
  const weigh = (traffic: TrafficName, keys: number, others: number): Job => ({
    title: `${traffic}, ${keys} keys, ${others} other${others === 1 ? "" : "s"}`,
    scenario: "clusterMemory",
    parameters: { traffic, keys, others },
  });
  if (quick) return TRAFFIC_NAMES.map((traffic) => weigh(traffic, 100_000, 1));
  const [oneWindow, windowEach, newestToo, oneSlot, everySlot] = TRAFFIC_NAMES;
  const weighAll = (traffics: readonly TrafficName[], sizes: number[], others: number[]): Job[] =>
    traffics.flatMap((traffic) =>
      sizes.flatMap((keys) => others.map((count) => weigh(traffic, keys, count))),
    );
  return [
    ...weighAll([oneWindow], [100_000, 131_073, 700_001, 2 * MILLION], [1, 2, 4]),
    ...weighAll([oneWindow], [10 * MILLION], [1]),
    ...weighAll([windowEach, newestToo], [131_073, 700_001], [1, 2, 4]),
    ...weighAll([oneSlot, everySlot], [100_000, 131_073, 700_001], [1]),
    ...weighAll([everySlot], [131_073], [2, 4]),
  ];
}

/** The same more than once: see the scenario. */
function fillingJobs(quick: boolean): Job[] {
  const keys = quick ? MILLION : 10 * MILLION;
  return [1, 2].map((run) => ({
    title: `${keys} keys, run ${run}`,
    scenario: "filling",
    parameters: { keys },
  }));
}

function garbageJobs(): Job[] {
  return (["allowed", "refused"] as const).flatMap((verdict) =>
    SIDE_BY_SIDE.map((subject) => ({
      title: `${subject}, ${verdict}`,
      scenario: "garbage",
      parameters: { subject, verdict },
      nodeFlags: YOUNG_GENERATION_FLAGS,
    })),
  );
}

/** More than once, as the machine can only add to it. */
function idleJobs(quick: boolean): Job[] {
  const seconds = quick ? 3 : 10;
  const runs = quick ? [1] : [1, 2];
  return [0, 100_000].flatMap((keys) =>
    runs.map((run) => ({
      title: `${keys === 0 ? "no limiter" : `${keys} keys`}, run ${run}`,
      scenario: "idle",
      parameters: { keys, seconds },
      nodeFlags: UNDISTURBED_FLAGS,
    })),
  );
}
