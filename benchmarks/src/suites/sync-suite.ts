/**
 * The suite `sync`: how soon, and at what price, processes agree.
 *
 * The quick form has fewer processes and keys; its figures show whether something broke, and are no
 * basis for a claim.
 */

import type { Job } from "../job.ts";
import { UNDISTURBED_FLAGS } from "../node-flags.ts";
import type { Section } from "../section.ts";

/** The headings, by which the targets find what was measured. */
export const SYNC_HEADINGS = {
  propagation: "Until others see a hit",
  hotKey: "One hot key above its limit",
  manyKeys: "Many active keys",
  cost: "Processor time for agreement",
  overload: "More hits than can be merged",
  merging: "Merging",
  joining: "Joining",
  longWork: "Longest turn of the event loop",
  sharedCheck: "A check in a cluster",
  memory: "Memory per key, by replicas",
} as const;

const CAPS_MS = [500, 100, 50, 10];
const TICK_MS = 10;
const HOT_LIMIT = 10_000;
const HOT_WINDOW_SECONDS = 10;

export function syncSuite(quick: boolean): Section[] {
  const million = quick ? 100_000 : 1_000_000;
  return [
    { heading: SYNC_HEADINGS.propagation, jobs: propagationJobs(quick) },
    { heading: SYNC_HEADINGS.hotKey, jobs: hotKeyJobs(quick) },
    { heading: SYNC_HEADINGS.manyKeys, jobs: manyKeysJobs(quick) },
    {
      heading: SYNC_HEADINGS.cost,
      jobs: [
        {
          title: "every key once a second",
          scenario: "agreementCost",
          parameters: quick
            ? { processes: 3, keys: 1_000, seconds: 2 }
            : { processes: 10, keys: 10_000, seconds: 8 },
        },
      ],
    },
    {
      heading: SYNC_HEADINGS.overload,
      jobs: [
        {
          title: "a burst of 50,000 hits a second in each process",
          scenario: "overload",
          parameters: {
            ...(quick ? { processes: 3, seconds: 5 } : { processes: 6, seconds: 30 }),
            ...{ keys: 100_000, usualPerSecond: 2_000, perSecond: 50_000 },
          },
        },
      ],
    },
    {
      heading: SYNC_HEADINGS.merging,
      jobs: [
        {
          title: `${million} keys`,
          scenario: "merging",
          parameters: { keys: million, rounds: quick ? 3 : 7 },
          nodeFlags: UNDISTURBED_FLAGS,
        },
      ],
    },
    {
      heading: SYNC_HEADINGS.joining,
      jobs: runs(quick).map((run) => ({
        title: `${million} keys, run ${run}`,
        scenario: "joining",
        parameters: { keys: million },
      })),
    },
    {
      heading: SYNC_HEADINGS.longWork,
      jobs: runs(quick).map((run) => ({
        title: `${million} keys, run ${run}`,
        scenario: "longWork",
        parameters: { keys: million },
      })),
    },
    {
      heading: SYNC_HEADINGS.sharedCheck,
      jobs: [
        {
          title: "a hot key",
          scenario: "sharedCheck",
          parameters: { requests: 200_000, rounds: 11, processes: quick ? 1 : 5 },
        },
      ],
    },
    { heading: SYNC_HEADINGS.memory, jobs: memoryJobs(quick) },
  ];
}

/** More than once, as the machine can only add to how long something takes. */
function runs(quick: boolean): number[] {
  return quick ? [1] : [1, 2];
}

function propagationJobs(quick: boolean): Job[] {
  return (quick ? [2] : [2, 3, 10]).map((processes) => ({
    title: `${processes} processes`,
    scenario: "propagation",
    parameters: { processes, capsMs: quick ? [50] : CAPS_MS, seconds: quick ? 2 : 5 },
  }));
}

function hotKeyJobs(quick: boolean): Job[] {
  return [2, 5].map((load) => ({
    title: `${load} × the limit`,
    scenario: "hotKey",
    parameters: {
      ...{ processes: quick ? 2 : 5, limit: HOT_LIMIT, load, windowSeconds: HOT_WINDOW_SECONDS },
      ...{ rounds: quick ? 1 : load, tickMs: TICK_MS },
    },
  }));
}

function manyKeysJobs(quick: boolean): Job[] {
  return (quick ? [1_000] : [1_000, 10_000, 100_000]).map((keys) => ({
    title: `${keys} keys`,
    scenario: "manyKeys",
    parameters: {
      ...{ processes: 3, keys, perSecond: 5_000, seconds: quick ? 2 : 5, tickMs: TICK_MS },
    },
  }));
}

function memoryJobs(quick: boolean): Job[] {
  return (quick ? [100_000] : [100_000, 1_000_000]).flatMap((keys) =>
    [2, 9].map((others) => ({
      title: `${keys} keys, ${others + 1} replicas`,
      scenario: "clusterMemory",
      parameters: { traffic: "fixedWindow, one window", keys, others },
    })),
  );
}
