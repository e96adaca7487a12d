/**
 * What of a record is compared with the same of another commit: costs, of which less is better.
 *
 * Rates are turned over for that: components a second become nanoseconds for each.
 */

import type { ScenarioRecord } from "../scenarios/catalogue.ts";
import type { LongestTurn } from "../sync/loop-turns.ts";

/** Times can be slower or faster, everything else more or less. */
export type Unit = "ns" | "ms" | "B" | "kB" | "MiB" | "B/key" | "frames" | "hits";

export interface Cost {
  /** Stands for the same in every run of a section, and for nothing else there. */
  readonly what: string;
  readonly unit: Unit;
  readonly value: number;
}

type CostsOf = {
  readonly [Kind in ScenarioRecord["kind"]]: (
    record: Extract<ScenarioRecord, { kind: Kind }>,
  ) => Cost[];
};

const count = new Intl.NumberFormat("en");

const COSTS: CostsOf = {
  speed: ({ subject, keys, spread, verdict, netNs }) => {
    const traffic = keys === 1 ? verdict : `${spread}, ${verdict}`;
    return [cost(`${subject}, ${traffic}`, "ns", netNs)];
  },
  memory: ({ subject, keys, managedBytesPerKey }) => [
    cost(`${subject}, ${count.format(keys)} keys`, "B/key", managedBytesPerKey),
  ],
  clusterMemory: ({ traffic, keys, others, managedBytesPerKey }) => [
    cost(`${traffic}, ${count.format(keys)} keys, others: ${others}`, "B/key", managedBytesPerKey),
  ],
  filling: ({ keys, totalMs, longestTurnMs }) => [
    cost(`${count.format(keys)} keys`, "ms", totalMs),
    cost(`${count.format(keys)} keys, longest turn`, "ms", longestTurnMs),
  ],
  garbage: ({ subject, verdict, bytesPerCheck }) => [
    cost(`${subject}, ${verdict}, a check`, "B", bytesPerCheck),
  ],
  idle: ({ keys, seconds, cpuMs }) =>
    keys === 0 ? [] : [cost(`${count.format(keys)} keys, ${seconds} s`, "ms", cpuMs)],
  leaving: ({ endedAfterMs }) => [cost("until the process ends", "ms", endedAfterMs ?? NaN)],
  fleet: ({ limiter, processes, limit, perWindow }) => {
    if (limiter !== "tidegate") return [];
    const admitted = perWindow.reduce((sum, hits) => sum + hits, 0);
    return [cost(`admitted by ${processes} processes, limit ${limit}`, "hits", admitted)];
  },
  requestCost: ({ framework, family, limiter, sendsHeaders, addedNs }) => {
    if (limiter !== "tidegate") return [];
    const headers = sendsHeaders ? "with headers" : "without headers";
    return [cost(`added under ${framework}, IPv${family}, ${headers}`, "ns", addedNs)];
  },
  socketCost: ({ framework, limiter, whole }) =>
    limiter === "tidegate" ? [cost(`${framework}, a whole request`, "ns", whole.median)] : [],
  agreementCost: ({ processes, keys, alone, cost: added }) => {
    const what = `${processes} replicas, ${count.format(keys)} keys, of a second of a core`;
    return [cost(what, "ms", 1_000 * (alone + added))];
  },
  hotKey: ({ processes, limit, load, frames, overshoot }) => {
    const traffic = `${processes} processes, ${load} × the limit of ${count.format(limit)}`;
    return [
      cost(`${traffic}, all frames`, "frames", frames),
      cost(`${traffic}, hits allowed`, "hits", limit * (1 + overshoot)),
    ];
  },
  joining: ({ keys, readyMs, completeMs, mebibytes, newcomer, holder }) => [
    cost(`${count.format(keys)} keys, until ready`, "ms", readyMs),
    cost(`${count.format(keys)} keys, until all are known`, "ms", completeMs),
    cost(`${count.format(keys)} keys, sent`, "MiB", mebibytes),
    cost(`${count.format(keys)} keys, longest turn of the newcomer`, "ms", ownMs(newcomer)),
    cost(`${count.format(keys)} keys, longest turn of the other`, "ms", ownMs(holder)),
  ],
  longWork: ({ keys, work, longest }) =>
    work === "nothing" ? [] : [cost(`${work}, ${count.format(keys)} keys`, "ms", ownMs(longest))],
  manyKeys: ({ processes, keys, perSecond, frames, bytes }) => {
    const hits = `${count.format(keys)} keys, ${count.format(perSecond)} hits/s each`;
    return [
      cost(`${processes} processes, ${hits}, frames/s of each`, "frames", frames),
      cost(`${processes} processes, ${hits}, sent in a second`, "kB", bytes / 1_000),
    ];
  },
  merging: ({ keys, perSecond, perSecondNews, perSecondNewKeys }) => [
    cost(`more hits of ${count.format(keys)} known components, each`, "ns", 1e9 / perSecond),
    cost(`the first of a replica, of ${count.format(keys)} keys, each`, "ns", 1e9 / perSecondNews),
    cost(`of ${count.format(keys)} unknown keys, each`, "ns", 1e9 / perSecondNewKeys),
  ],
  overload: ({ perSecond, mostLagMs, caughtUpMs }) => [
    cost(`${count.format(perSecond)} hits/s each, most lag`, "ms", mostLagMs),
    cost(`${count.format(perSecond)} hits/s each, until all is merged`, "ms", caughtUpMs),
  ],
  propagation: ({ processes, capMs, p50Ms, p99Ms }) => [
    cost(`${processes} processes, cap ${capMs} ms, p50`, "ms", p50Ms),
    cost(`${processes} processes, cap ${capMs} ms, p99`, "ms", p99Ms),
  ],
  sharedCheck: ({ aloneNs, sharedNs }) => [
    cost("a check of a limiter that is alone", "ns", aloneNs),
    cost("a check in a cluster", "ns", sharedNs),
  ],
};

/** The costs that a record has; none if it is of another limiter. */
export function costsOf(record: ScenarioRecord): readonly Cost[] {
  return (COSTS[record.kind] as (record: ScenarioRecord) => Cost[])(record);
}

function cost(what: string, unit: Unit, value: number): Cost {
  return { what, unit, value };
}

/** What the process itself did of a turn, where that is known. */
function ownMs({ turnMs, ownMs = turnMs }: LongestTurn): number {
  return ownMs;
}
