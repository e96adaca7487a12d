/**
 * `tidegate sim propagation`: how long a count travels, against a tree of processes that pass counts
 * on, by the number of processes.
 */

import {
  type HeapTreeKind,
  heapError,
  heapFormulaMs,
  heapPropagationMs,
  longestHeapPath,
  measureConvergence,
} from "@tidegate/simulator";
import { lineChart } from "../chart/line-chart.ts";
import { type AnyCommand, anyCommand } from "../command.ts";
import { type Flag, type Values, wrapped } from "../flags.ts";
import { Progress } from "../terminal.ts";
import { type Column, textTable } from "../text-table.ts";
import { percentage, type Reader, shownDuration, shownPercent, wholeNumber } from "../units.ts";
import { UsageError } from "../usage-error.ts";
import {
  chartFile,
  flush,
  json,
  latency,
  REPLICAS_MAX,
  seed,
  svg,
  typedPart,
} from "./fleet-flags.ts";

const SIZES: readonly number[] = [3, 10, 20, 50, 100, 500, 1_000, 5_000];
/** Hits of the runs in which frames are lost and repeated. */
const FAULTY_HITS = 500;
const FAULTS_MOST = 0.5;
/** The part of the limit from which counts wait for no more than the flush. */
const PAST_HALF = 0.6;

const upToHalf: Reader<number> = (text, flag) => {
  const part = percentage(text, flag);
  if (part <= FAULTS_MOST) return part;
  throw new UsageError(`--${flag} must be at most 50%, got ${text}`);
};

const FLAGS = {
  replicas: {
    takes: "N",
    about: "the largest fleet",
    usual: "5000",
    read: wholeNumber(3, 5_000),
  },
  simulate: {
    takes: "N",
    about: `simulates ours up to so many, at most ${REPLICAS_MAX}, which takes long`,
    usual: "100",
    read: wholeNumber(3, REPLICAS_MAX),
  },
  flush,
  latency,
  faults: {
    takes: "PART",
    about: "frames lost, and as many repeated, while errors are measured",
    usual: "1%",
    read: upToHalf,
  },
  hits: {
    takes: "N",
    about: "hits to follow in each fleet",
    usual: "20",
    read: wholeNumber(1, 1_000),
  },
  seed,
  svg: svg("tidegate-propagation.svg"),
  json,
} as const satisfies Readonly<Record<string, Flag<unknown>>>;

type Given = Values<typeof FLAGS>;

interface Row {
  readonly replicas: number;
  readonly formulaMs: number;
  readonly longestPathMs: number;
  readonly treeMs: number;
  readonly treeError: number;
  readonly repairedError: number;
  readonly flatMs: number;
  /** Null where our fleet is too large to simulate. */
  readonly simulatedMs: number | null;
}

export const propagationCommand: AnyCommand = anyCommand({
  name: "sim propagation",
  about: "how long counts travel, against a tree of processes",
  more:
    "In a binary heap each process sends to its parent and its children, so a count takes many " +
    "steps. Here each process sends to all, so it takes one, however many processes there are.",
  examples: [
    "tidegate sim propagation --flush 500ms",
    "tidegate sim propagation --replicas 100 --json",
  ],
  flags: FLAGS,
  run: (given, terminal, replay) => {
    const progress = new Progress(terminal);
    const sizes = SIZES.filter((size) => size <= given.replicas);
    const work = sizes.map((size) => Math.min(size, given.simulate) ** 2);
    const all = work.reduce((sum, part) => sum + part, 0);
    let done = 0;
    const rows = sizes.map((replicas, index) => {
      const onProgress = (part: number): void =>
        progress.at((done + part * work[index]!) / all, `${replicas} processes`);
      onProgress(0);
      const row = measured(replicas, given, onProgress);
      done += work[index]!;
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

function measured(replicas: number, given: Given, onProgress: (part: number) => void): Row {
  const { seed, hits, faults } = given;
  const tree = { seed, replicas, intervalMs: given.flush, latencyMs: given.latency };
  const error = (kind: HeapTreeKind): number =>
    heapError({ ...tree, kind, loss: faults, duplicate: faults }, FAULTY_HITS);
  return {
    replicas,
    formulaMs: heapFormulaMs(replicas, given.flush, given.latency),
    longestPathMs: longestHeapPath(replicas) * (given.flush + given.latency),
    treeMs: heapPropagationMs({ ...tree, kind: "as published" }, hits),
    treeError: error("as published"),
    repairedError: error("repaired"),
    flatMs: given.flush + given.latency,
    simulatedMs: replicas > given.simulate ? null : worstOfFleet(replicas, given, onProgress),
  };
}

function worstOfFleet(
  replicas: number,
  { seed, flush, latency, hits }: Given,
  onProgress: (part: number) => void,
): number {
  const { allMs } = measureConvergence({
    ...{ seed, replicas, flushMs: flush, latency: { ms: latency } },
    ...{ probes: hits, used: PAST_HALF, onProgress },
  });
  return allMs.at(-1) ?? 0;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

const COLUMNS: readonly Column<Row>[] = [
  { head: "processes", show: ({ replicas }) => String(replicas) },
  { head: "tree:\nformula", show: ({ formulaMs }) => seconds(formulaMs) },
  { head: "longest\npath", show: ({ longestPathMs }) => seconds(longestPathMs) },
  { head: "simu-\nlated", show: ({ treeMs }) => seconds(treeMs) },
  { head: "error", show: ({ treeError }) => shownPercent(treeError) },
  { head: "repaired:\nerror", show: ({ repairedError }) => shownPercent(repairedError) },
  { head: "tidegate:\nat most", show: ({ flatMs }) => seconds(flatMs) },
  {
    head: "simu-\nlated",
    show: ({ simulatedMs }) => (simulatedMs === null ? "–" : seconds(simulatedMs)),
  },
];

function inText(given: Given, rows: readonly Row[], replay: string): string {
  const { flush, latency, hits, seed, faults } = given;
  return [
    `seconds until all processes know of a hit, the slowest of ${hits}`,
    `a process sends every ${shownDuration(flush)}, latency ${shownDuration(latency)}, seed ${seed}`,
    "",
    textTable(COLUMNS, rows),
    "",
    ...wrapped(
      "tree: the formula that the design publishes is 2·(log2(N+1)−1)·(flush + latency); the longest " +
        `path is that of the real heap. error: how wrong totals stay when ${typedPart(faults)} of ` +
        "frames are lost and as many repeated, as published (add, then reset) and repaired (sums per " +
        "edge, the largest counts). tidegate: flush + latency for a key past half of its limit; keys " +
        "near it are sooner, and keys far from it wait up to four times the flush.",
      78,
    ),
    "",
    `replay  ${replay}`,
  ].join("\n");
}

function inJson(given: Given, rows: readonly Row[]): object {
  const { json: _, svg: __, ...options } = given;
  return { options, fleets: rows };
}

function drawn({ flush, latency, seed }: Given, rows: readonly Row[]): string {
  const steps = (ms: (row: Row) => number | null): [number, number][] =>
    rows.flatMap((row): [number, number][] => {
      const value = ms(row);
      return value === null ? [] : [[Math.log10(row.replicas), value / 1_000]];
    });
  return lineChart({
    title: "How long until all processes know of a hit",
    subtitle: `a process sends every ${shownDuration(flush)} · latency ${shownDuration(latency)} · seed ${seed}`,
    x: { label: "processes (powers of ten)", show: (power) => String(Math.round(10 ** power)) },
    y: { label: "seconds", show: (value) => String(value) },
    series: [
      { name: "tidegate", points: steps((row) => row.simulatedMs), style: "marked", color: 0 },
      { name: "flush + latency", points: steps((row) => row.flatMs), style: "dashed", color: 0 },
      { name: "binary heap", points: steps((row) => row.treeMs), style: "marked", color: 1 },
      {
        name: "its longest path",
        points: steps((row) => row.longestPathMs),
        style: "dashed",
        color: 1,
      },
      { name: "its formula", points: steps((row) => row.formulaMs), style: "plain", color: 5 },
    ],
  });
}
