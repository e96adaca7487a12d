/**
 * `tidegate sim cost`: what replication costs each process, by the number of processes.
 */

import process from "node:process";
import { type CostResult, measureCost } from "@tidegate/simulator";
import { lineChart } from "../chart/line-chart.ts";
import { type AnyCommand, anyCommand } from "../command.ts";
import { type Flag, type Values, wrapped } from "../flags.ts";
import { Progress } from "../terminal.ts";
import { type Column, textTable } from "../text-table.ts";
import { duration, numberAbove0, shownDuration, trimmed, wholeNumber } from "../units.ts";
import {
  chartFile,
  flush,
  jitter,
  json,
  latency,
  loss,
  replicas,
  seed,
  svg,
} from "./fleet-flags.ts";

const SIZES: readonly number[] = [2, 5, 10, 20, 50, 100, 200, 500];

const FLAGS = {
  replicas: { ...replicas, about: "the largest fleet", usual: "100" },
  rate: {
    takes: "N",
    about: "hits per second that each process gets",
    usual: "100",
    read: numberAbove0(1e5),
  },
  keys: {
    takes: "N",
    about: "keys of all these hits, by Zipf's law",
    usual: "1000",
    read: wholeNumber(1, 1_000_000),
  },
  limit: {
    takes: "N",
    about: "hits of a key in a window",
    usual: "100",
    read: wholeNumber(1, 1e6),
  },
  window: {
    takes: "TIME",
    about: "how long a window is",
    usual: "1m",
    read: duration(10, 86_400_000),
  },
  flush,
  latency,
  jitter,
  loss,
  seed,
  svg: svg("tidegate-cost.svg"),
  json,
} as const satisfies Readonly<Record<string, Flag<unknown>>>;

type Given = Values<typeof FLAGS>;

interface Row extends CostResult {
  readonly size: number;
}

export const costCommand: AnyCommand = anyCommand({
  name: "sim cost",
  about: "frames, bytes and processor time, by the number of processes",
  more: "Offers each process the same load, and measures what replication costs it.",
  examples: ["tidegate sim cost --replicas 50 --rate 1000 --keys 100000"],
  flags: FLAGS,
  run: (given, terminal, replay) => {
    const progress = new Progress(terminal);
    const sizes = SIZES.filter((size) => size < given.replicas).concat(given.replicas);
    const all = sizes.reduce((sum, size) => sum + size ** 2, 0);
    let done = 0;
    const rows = sizes.map((size): Row => {
      const onProgress = (part: number): void =>
        progress.at((done + part * size ** 2) / all, `${size} processes`);
      const row = { size, ...measureCost({ ...optionsOf(given, size), onProgress }) };
      done += size ** 2;
      return row;
    });
    progress.end();
    if (given.json) terminal.out(`${JSON.stringify(inJson(given, rows), null, 2)}\n`);
    else terminal.out(`${inText(given, rows, replay)}\n`);
    const file = chartFile(given, FLAGS.svg);
    if (file === undefined) return;
    terminal.writeFile(file, drawn(given, rows));
    if (!given.json) terminal.out(`\nchart   ${file}\n`);
  },
});

function optionsOf(given: Given, size: number) {
  const { seed, rate, keys, limit, window, flush, latency, jitter, loss } = given;
  return {
    ...{ seed, keys, limit, loss, replicas: size, ratePerSecond: rate },
    ...{ windowMs: window, flushMs: flush, latency: { ms: latency, jitterMs: jitter } },
    cpuMs: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
  };
}

const COLUMNS: readonly Column<Row>[] = [
  { head: "processes", show: ({ size }) => String(size) },
  { head: "frames\nsent per s", show: ({ framesSent }) => framesSent.toFixed(1) },
  { head: "kB\nsent per s", show: ({ bytesSent }) => (bytesSent / 1_000).toFixed(2) },
  { head: "kB\nreceived per s", show: ({ bytesReceived }) => (bytesReceived / 1_000).toFixed(1) },
  { head: "processor time,\nms per s at most", show: ({ cpuMs }) => cpuMs.toFixed(1) },
];

function inText(given: Given, rows: readonly Row[], replay: string): string {
  return [
    ...wrapped(
      `${titleOf(given)}, latency ${shownDuration(given.latency)}, seed ${given.seed}`,
      78,
    ),
    "",
    textTable(COLUMNS, rows),
    "",
    ...wrapped(
      "All of one process. The load of the fleet grows with it, and keys that come near their limit " +
        "make frames leave sooner. Processor time is that of this machine, and includes the simulation around " +
        "the replicas; it is the only figure that differs from run to run.",
      78,
    ),
    "",
    `replay  ${replay}`,
  ].join("\n");
}

function titleOf({ rate, keys, limit, window, flush }: Given): string {
  return (
    `each process gets ${trimmed(rate)} hits/s of ${keys} keys, limit ${limit} per ` +
    `${shownDuration(window)}, flush ${shownDuration(flush)}`
  );
}

function inJson(given: Given, rows: readonly Row[]): object {
  const { json: _, svg: __, ...options } = given;
  return { options, fleets: rows };
}

function drawn(given: Given, rows: readonly Row[]): string {
  const points = (value: (row: Row) => number): [number, number][] =>
    rows.map((row) => [row.size, value(row)]);
  return lineChart({
    title: "What replication costs one process",
    subtitle: titleOf(given),
    x: { label: "processes", show: String },
    y: { label: "kB per second", show: String },
    series: [
      {
        name: "received",
        points: points((row) => row.bytesReceived / 1_000),
        style: "marked",
        color: 0,
      },
      { name: "sent", points: points((row) => row.bytesSent / 1_000), style: "marked", color: 1 },
    ],
  });
}
