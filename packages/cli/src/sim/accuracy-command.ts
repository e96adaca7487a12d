/**
 * `tidegate sim`: how far over its limit a fleet goes, at the load that was asked for and around it.
 */

import {
  fixedWindow,
  leakyBucket,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "@tidegate/core";
import {
  type AccuracyOptions,
  type AccuracyResult,
  ARRIVALS,
  BALANCINGS,
  lawOf,
  measureAccuracy,
} from "@tidegate/simulator";
import { lineChart } from "../chart/line-chart.ts";
import { type AnyCommand, anyCommand } from "../command.ts";
import { type Flag, type Values, wrapped } from "../flags.ts";
import { Progress, type Terminal } from "../terminal.ts";
import { type Column, textTable } from "../text-table.ts";
import {
  duration,
  numberAbove0,
  oneOf,
  percentage,
  shownDuration,
  shownPercent,
  trimmed,
  wholeNumber,
} from "../units.ts";
import { UsageError } from "../usage-error.ts";
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

const POLICIES = ["fixed", "aligned", "sliding", "log", "token", "leaky"] as const;
type PolicyName = (typeof POLICIES)[number];

/** The loads that are shown around the one that was asked for. */
const AROUND: readonly number[] = [0.25, 0.5, 0.75, 1, 1.5, 2];
const HITS_PER_WINDOW_MAX = 1_000_000;

const FLAGS = {
  replicas,
  limit: {
    takes: "N",
    about: "hits that the policy allows in a window; a bucket holds as many",
    usual: "1000",
    read: wholeNumber(1, 1_000_000),
  },
  window: {
    takes: "TIME",
    about: "how long a window is",
    usual: "1s",
    read: duration(10, 86_400_000),
  },
  rate: {
    takes: "N",
    about: "hits per second that clients send [5 × the limit]",
    read: numberAbove0(1e7),
  },
  load: {
    takes: "N",
    about: "the same in limits per window, instead of --rate",
    read: numberAbove0(1_000),
  },
  policy: { takes: "NAME", about: POLICIES.join(", "), usual: "fixed", read: oneOf(POLICIES) },
  flush,
  latency,
  jitter,
  loss,
  balance: {
    takes: "HOW",
    about: `which process a hit reaches: ${BALANCINGS.join(", ")}`,
    usual: "even",
    read: oneOf(BALANCINGS),
  },
  arrivals: {
    takes: "HOW",
    about: `when hits come: ${ARRIVALS.join(", ")}`,
    usual: "poisson",
    read: oneOf(ARRIVALS),
  },
  keys: {
    takes: "N",
    about: "keys that share the rate, by Zipf's law",
    usual: "1",
    read: wholeNumber(1, 100_000),
  },
  rotate: {
    takes: "PART",
    about: "the part of hits that an attacker sends under a fresh key each",
    usual: "0%",
    read: percentage,
  },
  "max-keys": {
    takes: "N",
    about: "the most keys in the memory of one process [1000000]",
    read: wholeNumber(1, 16_000_000),
  },
  clocks: {
    takes: "TIME",
    about: "each process's clock is wrong by up to that",
    usual: "0ms",
    read: duration(0, 3_600_000),
  },
  windows: {
    takes: "N",
    about: "windows that are measured",
    usual: "20",
    read: wholeNumber(1, 10_000),
  },
  "warm-up": {
    takes: "N",
    about: "windows before, which are left out",
    usual: "2",
    read: wholeNumber(0, 1_000),
  },
  runs: {
    takes: "N",
    about: "runs, each from the next seed",
    usual: "1",
    read: wholeNumber(1, 1_000),
  },
  seed,
  svg: svg("tidegate-sim.svg"),
  json,
} as const satisfies Readonly<Record<string, Flag<unknown>>>;

type Given = Values<typeof FLAGS>;

interface Row {
  readonly load: number;
  readonly isAsked: boolean;
  readonly result: AccuracyResult;
}

export const accuracyCommand: AnyCommand = anyCommand({
  name: "sim",
  about: "how far over its limit a fleet of processes can go",
  more:
    "Runs the replicas that ship in one process, in virtual time, and compares what they admit " +
    "with an exact limiter that sees each hit at once.",
  examples: [
    "tidegate sim --replicas 20 --rate 5000 --limit 1000 --window 1s",
    "tidegate sim --limit 100 --window 1m --load 3 --policy sliding --loss 1%",
    "tidegate sim --balance least-informed --arrivals edges --json",
  ],
  flags: FLAGS,
  run: (given, terminal, replay) => {
    const load = loadOf(given);
    const file = chartFile(given, FLAGS.svg);
    const around = file === undefined && given.json ? [1] : AROUND;
    const rows = measured(
      given,
      around.map((part) => part * load),
      load,
      terminal,
    );
    if (given.json) terminal.out(`${JSON.stringify(inJson(given, rows), null, 2)}\n`);
    else terminal.out(`${inText(given, rows, replay)}\n`);
    if (file === undefined) return;
    terminal.writeFile(file, drawn(given, rows));
    if (!given.json) terminal.out(`\nchart   ${file}\n`);
  },
});

function loadOf({ rate, load, limit, window }: Given): number {
  if (rate !== undefined && load !== undefined) {
    throw new UsageError("--rate and --load say the same: give one of them");
  }
  const asked = load ?? (rate === undefined ? 5 : (rate * window) / 1_000 / limit);
  const hits = 2 * asked * limit;
  if (hits > HITS_PER_WINDOW_MAX) {
    throw new UsageError(
      `a window would have ${Math.ceil(hits)} hits at twice that load, at most ` +
        `${HITS_PER_WINDOW_MAX}: simulate a smaller --limit at the same --load`,
    );
  }
  return asked;
}

function measured(
  given: Given,
  loads: readonly number[],
  asked: number,
  terminal: Terminal,
): Row[] {
  const progress = new Progress(terminal);
  const sum = loads.reduce((all, load) => all + load, 0);
  let before = 0;
  const rows = loads.map((load) => {
    const onProgress = (part: number): void =>
      progress.at((before + part * load) / sum, `simulating ${trimmed(load)} × the limit`);
    const result = measureAccuracy({ ...optionsOf(given), load, onProgress });
    before += load;
    return { load, isAsked: load === asked, result };
  });
  progress.end();
  return rows;
}

function optionsOf(given: Given): AccuracyOptions {
  return {
    policy: policyOf(given.policy, given.limit, given.window),
    seed: given.seed,
    replicas: given.replicas,
    limit: given.limit,
    windowMs: given.window,
    flushMs: given.flush,
    latency: { ms: given.latency, jitterMs: given.jitter },
    loss: given.loss,
    clockErrorMs: given.clocks,
    balancing: given.balance,
    arrivals: given.arrivals,
    keys: { count: given.keys, rotating: given.rotate },
    maxKeys: given["max-keys"],
    windows: given.windows,
    warmUpWindows: given["warm-up"],
    runs: given.runs,
  };
}

function policyOf(name: PolicyName, limit: number, windowMs: number): Policy {
  const perSecond = (limit * 1_000) / windowMs;
  switch (name) {
    case "fixed":
      return fixedWindow({ limit, windowMs });
    case "aligned":
      return fixedWindow({ limit, windowMs, align: true });
    case "sliding":
      return slidingWindow({ limit, windowMs });
    case "log":
      return slidingLog({ limit, windowMs });
    case "token":
      return tokenBucket({ capacity: limit, refillPerSecond: perSecond });
    case "leaky":
      return leakyBucket({ capacity: limit, leakPerSecond: perSecond });
  }
}

const COLUMNS: readonly Column<Row>[] = [
  { head: "hits\nper s", show: ({ result }) => trimmed(Math.round(result.ratePerSecond)) },
  { head: "× the\nlimit", show: ({ load }) => trimmed(load) },
  { head: "over:\nmean", show: ({ result }) => orNone(result, result.over.mean) },
  { head: "worst\nwindow", show: ({ result }) => orNone(result, result.over.worst) },
  { head: "law", show: ({ result }) => orNone(result, result.law) },
  { head: "worst\nspan", show: ({ result }) => shownPercent(result.worstSpan, 0) },
  { head: "(exact)", show: ({ result }) => shownPercent(result.exactWorstSpan, 0) },
  { head: "wrongly\nrefused", show: ({ result }) => shownPercent(result.wronglyRefused, 2) },
  { head: "frames\nper s", show: ({ result }) => result.framesPerSecond.toFixed(1) },
  { head: "bytes\nper s", show: ({ result }) => result.bytesPerSecond.toFixed(0) },
  { head: "", show: ({ isAsked }) => (isAsked ? "◀" : "") },
];

/** Where an exact limiter refuses nothing, there is nothing to exceed. */
function orNone({ limitedWindows }: AccuracyResult, part: number): string {
  return limitedWindows === 0 ? "–" : shownPercent(part);
}

function inText(given: Given, rows: readonly Row[], replay: string): string {
  return [
    ...titleOf(given).flatMap((line) => wrapped(line, 78)),
    "",
    textTable(COLUMNS, rows),
    "",
    ...wrapped(
      "over: what the fleet admits beyond an exact limiter, in % of the limit, in windows in which " +
        "that refuses hits. span: the most in any stretch as long as a window, in % of the limit. " +
        "law: (N−1)/N · load · (flush/2 + latency), if each count waited for a flush; near a limit " +
        "counts leave sooner. Frames and bytes are those that one process sends.",
      78,
    ),
    "",
    `replay  ${replay}`,
  ].join("\n");
}

function titleOf(given: Given): string[] {
  const { limit, window, policy, loss } = given;
  const lost = loss === 0 ? "" : `, ${typedPart(loss)} of frames lost`;
  return [
    `${given.replicas} processes, limit ${limit} per ${shownDuration(window)} (${policy}), ` +
      `flush ${shownDuration(given.flush)}, latency ${shownTravel(given)}${lost}`,
    `${given.keys === 1 ? "one key" : `${given.keys} keys`}, arrivals ${given.arrivals}, balance ` +
      `${given.balance}, ${given.windows} windows × ${given.runs} ${given.runs === 1 ? "run" : "runs"}, seed ${given.seed}`,
  ];
}

function inJson(given: Given, rows: readonly Row[]): object {
  const { json: _, svg: __, ...options } = given;
  return {
    options,
    loads: rows.map(({ load, isAsked, result }) => ({ load, isAsked, ...result })),
  };
}

function drawn(given: Given, rows: readonly Row[]): string {
  const { limit, window, flush, latency, jitter, policy } = given;
  const limited = rows.filter(({ result }) => result.limitedWindows > 0);
  const most = rows.at(-1)!.load;
  const fine = Array.from({ length: 101 }, (_, index) => (index * most) / 100);
  const law = fine.map((load): [number, number] => [
    load,
    lawOf({
      ...{ load, replicas: given.replicas, windowMs: window, flushMs: flush },
      latencyMs: latency + jitter / 2,
    }),
  ]);
  const overs = (name: "mean" | "worst"): [number, number][] =>
    limited.map(({ load, result }) => [load, result.over[name]]);
  return lineChart({
    title: `How far ${given.replicas} processes go over their limit`,
    subtitle:
      `limit ${limit} per ${shownDuration(window)} (${policy}) · flush ${shownDuration(flush)} · ` +
      `latency ${shownDuration(latency)} · ${typedPart(given.loss)} loss · seed ${given.seed}`,
    x: { label: "offered, in limits per window", show: (load) => `${trimmed(load)}×` },
    y: {
      label: "admitted over the limit",
      show: (part) => `${trimmed(part * 100)} %`,
      least: 0.02,
    },
    series: [
      { name: "mean", points: overs("mean"), style: "marked", color: 0 },
      { name: "worst window", points: overs("worst"), style: "plain", color: 1 },
      {
        name: "law: (N−1)/N · load · (flush/2 + latency)",
        points: law,
        style: "dashed",
        color: 5,
      },
    ],
  });
}
