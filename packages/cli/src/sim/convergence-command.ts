/**
 * `tidegate sim convergence`: how long it takes until all processes know of a hit.
 */

import { type ConvergenceResult, measureConvergence } from "@tidegate/simulator";
import { lineChart, type Series } from "../chart/line-chart.ts";
import { type AnyCommand, anyCommand } from "../command.ts";
import { type Flag, type Values, wrapped } from "../flags.ts";
import { Progress } from "../terminal.ts";
import { type Column, textTable } from "../text-table.ts";
import { shownDuration, wholeNumber } from "../units.ts";
import {
  chartFile,
  flush,
  jitter,
  json,
  latency,
  loss,
  replicas,
  seed,
  shownTravel,
  svg,
  typedPart,
} from "./fleet-flags.ts";

/** The parts of the limit that a key has used before the hit. */
const KEYS = [
  { name: "opens a window", used: 0 },
  { name: "is far from its limit", used: 0.1 },
  { name: "is past half of it", used: 0.6 },
  { name: "is near its limit", used: 0.995 },
] as const;

const FLAGS = {
  replicas,
  flush,
  latency,
  jitter,
  loss,
  hits: { takes: "N", about: "hits to follow", usual: "40", read: wholeNumber(1, 10_000) },
  seed,
  svg: svg("tidegate-convergence.svg"),
  json,
} as const satisfies Readonly<Record<string, Flag<unknown>>>;

type Given = Values<typeof FLAGS>;

interface Row extends ConvergenceResult {
  readonly name: string;
  readonly used: number;
}

export const convergenceCommand: AnyCommand = anyCommand({
  name: "sim convergence",
  about: "how long until all processes know of a hit",
  more:
    "Follows single hits through a simulated fleet. The nearer a key is to its limit, the sooner " +
    "its counts leave.",
  examples: ["tidegate sim convergence --replicas 50 --latency 2ms --jitter 3ms --loss 1%"],
  flags: FLAGS,
  run: (given, terminal, replay) => {
    const progress = new Progress(terminal);
    const rows = KEYS.map(({ name, used }, index): Row => {
      const onProgress = (part: number): void =>
        progress.at((index + part) / KEYS.length, `a key that ${name}`);
      return { name, used, ...measureConvergence({ ...optionsOf(given), used, onProgress }) };
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

function optionsOf({ seed, replicas, flush, latency, jitter, loss, hits }: Given) {
  return {
    ...{ seed, replicas, loss, probes: hits, flushMs: flush },
    latency: { ms: latency, jitterMs: jitter },
  };
}

/** The value below which such a part of ascending values is. */
function quantile(ascending: readonly number[], part: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(part * ascending.length))] ?? 0;
}

function shownMs(ms: number): string {
  return ms === Number.POSITIVE_INFINITY ? "never" : `${ms.toFixed(1)} ms`;
}

const COLUMNS: readonly Column<Row>[] = [
  { head: "a key that …", show: ({ name }) => name },
  { head: "one knows:\nmedian", show: ({ eachMs }) => shownMs(quantile(eachMs, 0.5)) },
  { head: "all know:\nmedian", show: ({ allMs }) => shownMs(quantile(allMs, 0.5)) },
  { head: "90 %", show: ({ allMs }) => shownMs(quantile(allMs, 0.9)) },
  { head: "99 %", show: ({ allMs }) => shownMs(quantile(allMs, 0.99)) },
  { head: "worst", show: ({ allMs }) => shownMs(quantile(allMs, 1)) },
];

function inText(given: Given, rows: readonly Row[], replay: string): string {
  return [
    ...wrapped(`${titleOf(given)}, ${given.hits} hits, seed ${given.seed}`, 78),
    "",
    textTable(COLUMNS, rows),
    "",
    ...wrapped(
      "The time from a hit until one other process knows of it, and until all do. A hit that " +
        "opens a window, and hits near the limit, leave at once; others wait for the flush, and far " +
        "from the limit for up to four times as long.",
      78,
    ),
    "",
    `replay  ${replay}`,
  ].join("\n");
}

function titleOf(given: Given): string {
  const { replicas, flush, loss } = given;
  return (
    `${replicas} processes, flush ${shownDuration(flush)}, latency ${shownTravel(given)}, ` +
    `${typedPart(loss)} loss`
  );
}

function inJson(given: Given, rows: readonly Row[]): object {
  const { json: _, svg: __, ...options } = given;
  // JSON has no infinity: such a hit is null, never known.
  return { options, keys: rows };
}

/** Of all hits, the part that every process knows after a time. */
function drawn(given: Given, rows: readonly Row[]): string {
  const lastMs = Math.max(...rows.flatMap(({ allMs }) => allMs.filter(Number.isFinite)), 0);
  const series = rows.map(({ name, allMs }, color): Series => {
    const known = allMs.filter((ms) => ms < Number.POSITIVE_INFINITY);
    const points = known.flatMap((ms, index): [number, number][] => [
      [ms, index / allMs.length],
      [ms, (index + 1) / allMs.length],
    ]);
    const end: [number, number] = [lastMs, known.length / allMs.length];
    return { name, points: [[0, 0], ...points, end], style: "plain", color };
  });
  return lineChart({
    title: `How soon ${given.replicas} processes know of a hit`,
    subtitle: `${titleOf(given)} · by what the key of the hit is`,
    x: { label: "after the hit", show: (ms) => `${ms} ms`, least: 10 },
    y: { label: "hits that all processes know", show: (part) => `${Math.round(part * 100)} %` },
    series,
  });
}
