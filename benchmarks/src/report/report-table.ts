/**
 * Findings for people: a table under each heading, and the claims at the end.
 */

import type { ScenarioRecord } from "../scenarios/catalogue.ts";
import type { ClusterMemoryRecord } from "../scenarios/cluster-memory.ts";
import type { FillingRecord } from "../scenarios/filling.ts";
import type { GarbageRecord } from "../scenarios/garbage.ts";
import type { IdleRecord } from "../scenarios/idle.ts";
import type { MemoryRecord } from "../scenarios/memory.ts";
import { httpTables } from "../suites/http-tables.ts";
import { syncTables } from "../suites/sync-tables.ts";
import type { TargetResult } from "../target.ts";
import { columns } from "./columns.ts";
import type { Machine } from "./machine.ts";
import { type ComparedSpeed, compareSpeeds } from "./speed-ratios.ts";

const MIB = 2 ** 20;
const count = new Intl.NumberFormat("en");

export function machineText(machine: Machine): string {
  const busy =
    machine.load > machine.cores / 4
      ? `\nLoad ${machine.load.toFixed(1)}: others use this machine, so times will be high and uneven.`
      : "";
  return (
    `Node ${machine.node} (V8 ${machine.v8}), ${machine.cores} × ${machine.cpu}, ` +
    `${machine.memoryGib} GiB, ${machine.platform}${busy}`
  );
}

/** What the jobs under one heading found. */
export function sectionText(heading: string, records: readonly ScenarioRecord[]): string {
  const parts = [
    ...speedTables(compareSpeeds(records.filter((record) => record.kind === "speed"))),
    memoryTable(records.filter((record) => record.kind === "memory")),
    clusterMemoryTable(records.filter((record) => record.kind === "clusterMemory")),
    fillingTable(records.filter((record) => record.kind === "filling")),
    garbageTable(records.filter((record) => record.kind === "garbage")),
    idleTable(records.filter((record) => record.kind === "idle")),
    ...httpTables(records),
    ...syncTables(records),
    ...records
      .filter((record) => record.kind === "leaving")
      .map(({ endedAfterMs }) =>
        endedAfterMs === null
          ? "The process did not end and had to be killed."
          : `The process ended ${endedAfterMs.toFixed(0)} ms after closing its limiter.`,
      ),
  ];
  return [underlined(heading), ...parts.filter((part) => part !== "")].join("\n\n");
}

/** Every claim that was measured, with the figure it was judged by. */
export function targetsText(targets: readonly TargetResult[]): string {
  const judged = targets.filter(({ status }) => status !== "not measured");
  const rows = judged.map(({ claim, measured = 0, unit, status, note = "" }) => [
    claim,
    status === "missed" ? "MISSED" : "ok",
    `${measured.toFixed(measured < 10 ? 2 : 0)} ${unit}`,
    note,
  ]);
  const missed = judged.filter(({ status }) => status === "missed").length;
  const tally = [
    `${judged.length - missed} ok`,
    `${missed} MISSED`,
    `${targets.length - judged.length} not measured in this run`,
  ].join(", ");
  const table = columns(["", "", "measured", ""], rows, ["left", "left", "right", "left"]);
  return [underlined("Claims"), ...(rows.length > 0 ? [table] : []), tally].join("\n\n");
}

function speedTables(compared: readonly ComparedSpeed[]): string[] {
  const groups = new Map<string, ComparedSpeed[]>();
  for (const one of compared) {
    const { spread, verdict } = one.record;
    const name = `${spread}, ${verdict}`;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups.values()].map(speedTable);
}

function speedTable(group: readonly ComparedSpeed[]): string {
  const { keys, spread, verdict, distinctKeys, requests, rounds, keyNs } = group[0]!.record;
  const title = [
    keys === 1 ? `all ${verdict}` : `${spread}, all ${verdict}`,
    `${count.format(distinctKeys)} of ${count.format(keys)} keys touched`,
    `${rounds} rounds of ${count.format(requests)}`,
    `making a key ${keyNs.toFixed(0)} ns`,
  ].join("; ");
  const rows = group.map(({ record, rawRatio, netRatio }) => [
    record.subject,
    record.raw.median.toFixed(0),
    `±${(record.raw.spread * 100).toFixed(0)} %`,
    rawRatio === undefined ? "–" : rawRatio.toFixed(2),
    record.netNs.toFixed(0),
    netRatio === undefined ? "–" : netRatio.toFixed(2),
  ]);
  const headings = ["", "ns/check", "spread", "× tidegate", "net ns/check", "× tidegate, net"];
  return `${title}\n${columns(headings, rows)}`;
}

function memoryTable(records: readonly MemoryRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map((record) => [
    record.subject,
    count.format(record.keys),
    record.managedBytesPerKey.toFixed(1),
    record.residentBytesPerKey.toFixed(1),
    (record.residentBytes / MIB).toFixed(0),
    (record.residentBytesPeak / MIB).toFixed(0),
  ]);
  return columns(
    ["", "keys", "heap and buffers, B/key", "RSS, B/key", "RSS, MiB", "peak, MiB"],
    rows,
  );
}

function clusterMemoryTable(records: readonly ClusterMemoryRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map((record) => [
    record.traffic,
    count.format(record.keys),
    String(record.others),
    record.aloneBytesPerKey.toFixed(1),
    record.managedBytesPerKey.toFixed(1),
    record.addedBytesPerKey.toFixed(1),
  ]);
  return columns(
    ["", "keys", "others", "before them, B/key", "with them, B/key", "each added, B/key"],
    rows,
  );
}

function fillingTable(records: readonly FillingRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map(({ keys, longest, longestTurnMs, totalMs }, run) => [
    `run ${run + 1}`,
    count.format(keys),
    (totalMs / 1_000).toFixed(1),
    longestTurnMs.toFixed(1),
    longest.map(({ ms, key }) => `${ms.toFixed(1)} (#${count.format(key)})`).join("  ") || "none",
  ]);
  return columns(["", "keys", "total, s", "longest turn, ms", "longest checks, ms"], rows);
}

function garbageTable(records: readonly GarbageRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map((record) => [
    record.subject,
    record.verdict,
    record.bytesPerCheck.toFixed(1),
  ]);
  return columns(["", "all", "B/check"], rows);
}

function idleTable(records: readonly IdleRecord[]): string {
  if (records.length === 0) return "";
  const rows = records.map(({ keys, seconds, cpuMs }) => [
    keys === 0 ? "no limiter" : `a limiter with ${count.format(keys)} keys`,
    seconds.toFixed(0),
    cpuMs.toFixed(1),
  ]);
  return columns(["", "seconds", "processor time, ms"], rows);
}

export function underlined(heading: string): string {
  return `${heading}\n${"─".repeat(heading.length)}`;
}
