/**
 * Findings of the suite `sync` for people.
 */

import { columns } from "../report/columns.ts";
import type { ScenarioRecord } from "../scenarios/catalogue.ts";
import type { AgreementCostRecord } from "../scenarios/sync/agreement-cost.ts";
import type { HotKeyRecord } from "../scenarios/sync/hot-key.ts";
import type { JoiningRecord } from "../scenarios/sync/joining.ts";
import type { LongWorkRecord } from "../scenarios/sync/long-work.ts";
import type { ManyKeysRecord } from "../scenarios/sync/many-keys.ts";
import type { MergingRecord } from "../scenarios/sync/merging.ts";
import type { OverloadRecord } from "../scenarios/sync/overload.ts";
import type { PropagationRecord } from "../scenarios/sync/propagation.ts";
import type { SharedCheckRecord } from "../scenarios/sync/shared-check.ts";
import { fixedTickMs } from "../sync/fixed-tick-formula.ts";
import type { LongestTurn } from "../sync/loop-turns.ts";

const count = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A table for each kind of record that there is. */
export function syncTables(records: readonly ScenarioRecord[]): string[] {
  return [
    propagationTable(records.filter((record) => record.kind === "propagation")),
    hotKeyTable(records.filter((record) => record.kind === "hotKey")),
    manyKeysTable(records.filter((record) => record.kind === "manyKeys")),
    costTable(records.filter((record) => record.kind === "agreementCost")),
    overloadTable(records.filter((record) => record.kind === "overload")),
    mergingTable(records.filter((record) => record.kind === "merging")),
    joiningTable(records.filter((record) => record.kind === "joining")),
    longWorkTable(records.filter((record) => record.kind === "longWork")),
    sharedCheckTable(records.filter((record) => record.kind === "sharedCheck")),
  ];
}

function propagationTable(records: readonly PropagationRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map((record) => [
    count.format(record.processes),
    count.format(record.capMs),
    record.p50Ms.toFixed(1),
    record.p99Ms.toFixed(1),
    record.maxMs.toFixed(1),
    count.format(fixedTickMs(record.processes, record.capMs)),
    count.format(record.seen),
    percent(record.processorUse),
  ]);
  return columns(
    ["processes", "cap, ms", "p50, ms", "p99, ms", "max, ms", "tree, ms", "seen", "machine"],
    rows,
    [],
  );
}

function hotKeyTable(records: readonly HotKeyRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.flatMap((record) => [
    [
      `${record.load} × the limit`,
      "tidegate",
      count.format(record.frames),
      `${(100 * record.overshoot).toFixed(2)} %`,
      percent(record.processorUse),
    ],
    [
      "",
      `a tick of ${record.tickMs} ms`,
      count.format(record.tickFrames),
      `${(100 * record.tickOvershoot).toFixed(2)} %`,
      "",
    ],
  ]);
  const { processes, limit } = records[0]!;
  const title = `${processes} processes, limit ${count.format(limit)}; hits go to both`;
  const headings = ["", "", "frames", "over the limit", "machine"];
  return `${title}\n${columns(headings, rows, ["left", "left"])}`;
}

function manyKeysTable(records: readonly ManyKeysRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map((record) => [
    count.format(record.keys),
    count.format(record.frames),
    count.format(record.tickFrames),
    count.format(record.bytes / 1_000),
    count.format(record.tickBytes / 1_000),
    percent(record.processorUse),
  ]);
  const { processes, perSecond, tickMs } = records[0]!;
  const title =
    `${processes} processes with ${count.format(perSecond)} hits a second each; ` +
    `what each sends in a second, beside a tick of ${tickMs} ms`;
  const headings = ["keys", "frames", "tick's frames", "kB", "tick's kB", "machine"];
  return `${title}\n${columns(headings, rows, [])}`;
}

function costTable(records: readonly AgreementCostRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map((record) => [
    count.format(record.processes),
    count.format(record.keys),
    percent(record.cost),
    percent(record.costMax),
    percent(record.alone),
    percent(record.processorUse),
  ]);
  return columns(
    ["replicas", "keys", "of a core, mean", "most", "hits alone", "machine"],
    rows,
    [],
  );
}

function overloadTable(records: readonly OverloadRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map((record) => [
    `${record.overloaded} of ${record.processes}`,
    count.format(record.perSecond),
    count.format(record.seconds),
    count.format(record.mostLagMs),
    count.format(record.clockErrorMs),
    count.format(record.caughtUpMs),
    percent(record.processorUse),
  ]);
  return columns(
    ["overloaded", "hits/s each", "s", "most lag, ms", "clocks off, ms", "merged, ms", "machine"],
    rows,
    [],
  );
}

function mergingTable(records: readonly MergingRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.flatMap((record) =>
    (
      [
        ["more hits of a component that is known", record.perSecond],
        ["the first of this replica, of keys that are known", record.perSecondNews],
        ["of keys that are not known", record.perSecondNewKeys],
      ] as const
    ).map(([what, perSecond]) => [
      what,
      count.format(record.keys),
      (perSecond / 1e6).toFixed(1),
      count.format(1e9 / perSecond),
      record.bytesPerComponent.toFixed(1),
    ]),
  );
  return columns(["", "keys", "million a second", "ns each", "B each"], rows);
}

function joiningTable(records: readonly JoiningRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map((record) => [
    count.format(record.keys),
    count.format(record.readyMs),
    count.format(record.completeMs),
    count.format(record.keysWhenReady),
    record.mebibytes.toFixed(1),
    turnText(record.newcomer),
    turnText(record.holder),
    turnText(record.idle),
  ]);
  return columns(
    [
      ...["keys", "ready, ms", "knows all, ms", "keys when ready", "MiB"],
      ...["longest turn, ms (own)", "the other's", "idle"],
    ],
    rows,
    [],
  );
}

function longWorkTable(records: readonly LongWorkRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map((record) => [
    record.work,
    count.format(record.keys),
    record.seconds.toFixed(1),
    turnText(record.longest),
  ]);
  return columns(["", "keys", "watched, s", "longest turn, ms (own)"], rows);
}

function sharedCheckTable(records: readonly SharedCheckRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map(({ aloneNs, sharedNs }) => [
    aloneNs.toFixed(0),
    sharedNs.toFixed(0),
    (sharedNs / aloneNs).toFixed(2),
  ]);
  return columns(["alone, ns", "in a cluster, ns", "×"], rows, []);
}

/** A turn, and in brackets how much of it was this process's own work. */
export function turnText({ turnMs, ownMs }: LongestTurn): string {
  return ownMs === undefined ? turnMs.toFixed(1) : `${turnMs.toFixed(1)} (${ownMs.toFixed(1)})`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}
