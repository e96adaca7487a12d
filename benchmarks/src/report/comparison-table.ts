/**
 * Comparisons with another commit, for people and for programs.
 */

import type { ComparedCost, Comparison, Mark } from "../against/comparison.ts";
import type { Unit } from "../against/costs.ts";
import type { OtherCommit } from "../against/other-commit.ts";
import { columns } from "./columns.ts";
import type { Machine } from "./machine.ts";
import { underlined } from "./report-table.ts";

const MARKS: readonly Mark[] = ["SLOWER", "MORE", "FASTER", "LESS"];

export function comparisonText(heading: string, { costs, incomparable }: Comparison): string {
  const rows = costs.map(({ what, unit, now, other, ratio, spread, mark }) => [
    what,
    figure(now, unit),
    figure(other, unit),
    ratio.toFixed(2),
    spread === undefined ? "–" : `±${(100 * spread).toFixed(0)} %`,
    mark,
  ]);
  const headings = ["", "now", "then", "ratio", "spread", ""];
  const table = columns(headings, rows, ["left", "right", "right", "right", "right", "left"]);
  return [
    underlined(heading),
    ...(rows.length > 0 ? [table] : []),
    ...incomparable.map(({ what, reason }) => `${what}: cannot be compared: ${reason}`),
  ].join("\n\n");
}

/** How many costs have changed, and how busy the machine was. */
export function conclusionText(
  comparisons: readonly Comparison[],
  before: Machine,
  after: Machine,
): string {
  const costs = comparisons.flatMap((comparison) => comparison.costs);
  const judged = costs.filter(({ spread }) => spread !== undefined);
  const tally = [
    ...MARKS.map((mark) => `${judged.filter((one) => one.mark === mark).length} ${mark}`),
    `${judged.filter(({ mark }) => mark === "").length} without a difference that this run can show`,
    `${costs.length - judged.length} not judged, for want of starts`,
    `${comparisons.flatMap(({ incomparable }) => incomparable).length} cannot be compared`,
  ].join(", ");
  return `${tally}\n${loadText(before, after)}`;
}

/** One line for each cost, and for each that cannot be compared. */
export function comparisonLines(
  machine: Machine,
  { hash }: OtherCommit,
  heading: string,
  { costs, incomparable }: Comparison,
): string[] {
  const given = { machine, scenario: heading, against: hash };
  return [
    ...costs.map((cost: ComparedCost) => ({ ...given, kind: "comparison", ...cost })),
    ...incomparable.map((one) => ({ ...given, kind: "incomparable", ...one })),
  ].map((line) => JSON.stringify(line));
}

/** One job at a time keeps about one core busy. */
function loadText(before: Machine, after: Machine): string {
  const busy = before.load > before.cores / 4;
  return (
    `Load of this machine of ${after.cores} cores: ${before.load.toFixed(1)} before the run and ` +
    `${after.load.toFixed(1)} at its end, of which the run itself is one or two.` +
    (busy ? " Others used it meanwhile: run again before you believe a small difference." : "")
  );
}

function figure(value: number, unit: Unit): string {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}
