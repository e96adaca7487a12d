/**
 * What tidegate claims about how processes agree, held against what was measured.
 *
 * Timings depend on the machine and its neighbours, so this is a report and fails nothing. The part of
 * the machine that was in use stands beside them: what is measured on a busy one is about the neighbours.
 */

import type { Reading } from "../reading.ts";
import type { ScenarioRecord } from "../scenarios/catalogue.ts";
import type { HotKeyRecord } from "../scenarios/sync/hot-key.ts";
import { LONG_WORKS, type LongWork } from "../scenarios/sync/long-work.ts";
import type { OverloadRecord } from "../scenarios/sync/overload.ts";
import type { Finding } from "../section.ts";
import type { LongestTurn } from "../sync/loop-turns.ts";
import { atLeast, atMost, type TargetResult } from "../target.ts";
import { turnText } from "./sync-tables.ts";

/** Below this many keys it is the quick form, which claims nothing about many. */
const MILLION = 1_000_000;

/** One result per claim. */
export function syncTargets(findings: readonly Finding[]): TargetResult[] {
  const records = findings.map(({ record }) => record);
  return [
    atMost(
      15,
      "ms",
      "a hit is seen by others within 15 ms after the cap, 99 of 100 times",
      propagation(records),
    ),
    ...[2, 5].flatMap((load) => [
      atLeast(
        5,
        "×",
        `hot key at ${load} × its limit: at most a fifth of the frames of a tick of 10 ms`,
        hotKey(records, load, ({ frames, tickFrames }) => tickFrames / frames),
      ),
      atMost(
        0.3,
        "points",
        `hot key at ${load} × its limit: at most 0.3 points further over it than the tick`,
        hotKey(records, load, (record) => 100 * (record.overshoot - record.tickOvershoot)),
      ),
    ]),
    atMost(1, "×", "many active keys: no more frames than the tick", frames(records)),
    atLeast(5, "M/s", "merging at 1M keys: at least 5M components a second", merging(records)),
    atMost(
      5,
      "%",
      "10 replicas, 10k keys, each hit once a second by each: under 5 % of a core",
      cost(records),
    ),
    atMost(
      5_000,
      "ms",
      "after a burst of 30 s that cannot be merged: all is merged within 5 s of the usual load",
      overload(records, ({ caughtUpMs }) => caughtUpMs),
    ),
    atMost(
      250,
      "ms",
      "during that burst: clocks that are equal are said to be",
      overload(records, ({ clockErrorMs }) => clockErrorMs),
    ),
    atMost(3_000, "ms", "joining 1M keys: all are known within 3 s", joining(records)),
    atMost(
      10,
      "ms",
      "joining 1M keys: no turn of either event loop over 10 ms of own work",
      joiningTurn(records),
    ),
    ...LONG_WORKS.filter((work) => work !== "nothing").map((work) =>
      atMost(10, "ms", `1M keys, ${work}: no turn over 10 ms`, turn(records, work)),
    ),
    atMost(
      1.3,
      "×",
      "a check in a cluster takes at most 1.3 × as long as one alone",
      sharedCheck(records),
    ),
    atMost(70, "%", "of the machine was in use where processes were timed", processorUse(records)),
  ];
}

type Records = readonly ScenarioRecord[];

function propagation(records: Records): Reading | undefined {
  const measured = records.filter((record) => record.kind === "propagation");
  const worst = measured.toSorted(
    (left, right) => right.p99Ms - right.capMs - (left.p99Ms - left.capMs),
  )[0];
  if (worst === undefined) return undefined;
  const { p99Ms, capMs, processes } = worst;
  return {
    value: p99Ms - capMs,
    note: `${p99Ms.toFixed(1)} ms with ${processes} processes and a cap of ${capMs} ms`,
  };
}

function hotKey(
  records: Records,
  load: number,
  figure: (record: HotKeyRecord) => number,
): Reading | undefined {
  const measured = records
    .filter((record) => record.kind === "hotKey")
    .find((record) => record.load === load);
  if (measured === undefined) return undefined;
  const { frames: sent, tickFrames, overshoot, tickOvershoot } = measured;
  const over = [overshoot, tickOvershoot].map((part) => `${(100 * part).toFixed(2)} %`);
  return {
    value: figure(measured),
    note: `${sent} and ${tickFrames} frames, ${over.join(" and ")} over`,
  };
}

function frames(records: Records): Reading | undefined {
  const measured = records
    .filter((record) => record.kind === "manyKeys")
    .map((record) => ({ record, ratio: record.frames / record.tickFrames }))
    .toSorted((left, right) => right.ratio - left.ratio)[0];
  if (measured === undefined) return undefined;
  const { keys, bytes, tickBytes } = measured.record;
  const share = (bytes / tickBytes).toFixed(2);
  return { value: measured.ratio, note: `most at ${keys} keys, with ${share} × its bytes` };
}

function merging(records: Records): Reading | undefined {
  const measured = records
    .filter((record) => record.kind === "merging")
    .find(({ keys }) => keys >= MILLION);
  if (measured === undefined) return undefined;
  const news = (measured.perSecondNews / 1e6).toFixed(1);
  return { value: measured.perSecond / 1e6, note: `the first of a replica ${news} M/s` };
}

function cost(records: Records): Reading | undefined {
  const measured = records
    .filter((record) => record.kind === "agreementCost")
    .find(({ processes, keys }) => processes >= 10 && keys >= 10_000);
  if (measured === undefined) return undefined;
  return {
    value: 100 * measured.cost,
    note: `the mean of ${measured.processes}; most ${(100 * measured.costMax).toFixed(1)} %`,
  };
}

function overload(
  records: Records,
  figure: (record: OverloadRecord) => number,
): Reading | undefined {
  const measured = records
    .filter((record) => record.kind === "overload")
    .find(({ processes, seconds }) => processes >= 6 && seconds >= 30);
  if (measured === undefined) return undefined;
  const { overloaded, processes, mostLagMs } = measured;
  return {
    value: figure(measured),
    note: `${overloaded} of ${processes} overloaded, at most ${mostLagMs.toFixed(0)} ms behind`,
  };
}

/** Of the run that was disturbed least. */
function joining(records: Records): Reading | undefined {
  const measured = records
    .filter((record) => record.kind === "joining")
    .filter(({ keys }) => keys >= MILLION)
    .toSorted((left, right) => left.completeMs - right.completeMs)[0];
  if (measured === undefined) return undefined;
  return { value: measured.completeMs, note: `ready after ${measured.readyMs.toFixed(0)} ms` };
}

function joiningTurn(records: Records): Reading | undefined {
  const measured = records
    .filter((record) => record.kind === "joining")
    .filter(({ keys }) => keys >= MILLION)
    .map((record) => ({ ...record, value: Math.max(ownMs(record.newcomer), ownMs(record.holder)) }))
    .toSorted((left, right) => left.value - right.value)[0];
  if (measured === undefined) return undefined;
  const { value, newcomer, holder, idle } = measured;
  return {
    value,
    note: `newcomer ${turnText(newcomer)}, the other ${turnText(holder)}, idle ${turnText(idle)} ms`,
  };
}

/** No other process uses the measured core, so every delay of the loop counts. */
function turn(records: Records, work: LongWork): Reading | undefined {
  const measured = records
    .filter((record) => record.kind === "longWork")
    .filter(({ keys }) => keys >= MILLION)
    .toSorted((left, right) => left.longest.turnMs - right.longest.turnMs);
  const during = measured.find((record) => record.work === work);
  const idle = measured.find((record) => record.work === "nothing");
  if (during === undefined || idle === undefined) return undefined;
  return {
    value: during.longest.turnMs,
    note: `in brackets its own work: ${turnText(during.longest)}, idle ${turnText(idle.longest)} ms`,
  };
}

function sharedCheck(records: Records): Reading | undefined {
  const measured = records.find((record) => record.kind === "sharedCheck");
  if (measured === undefined) return undefined;
  const { aloneNs, sharedNs } = measured;
  return {
    value: sharedNs / aloneNs,
    note: `${sharedNs.toFixed(0)} and ${aloneNs.toFixed(0)} ns, making no key`,
  };
}

function processorUse(records: Records): Reading | undefined {
  const uses = records.flatMap((record) => ("processorUse" in record ? [record.processorUse] : []));
  if (uses.length === 0) return undefined;
  return { value: 100 * Math.max(...uses), note: "others' use included; otherwise run again" };
}

/** What counts where several processes want the same cores, if that can be told. */
function ownMs(longest: LongestTurn): number {
  return longest.ownMs ?? longest.turnMs;
}
