/**
 * Findings for programs: one JSON object per line, each complete in itself.
 */

import type { ScenarioRecord } from "../scenarios/catalogue.ts";
import type { TargetResult } from "../target.ts";
import type { Machine } from "./machine.ts";
import { compareSpeeds } from "./speed-ratios.ts";

/** One line for each record that the jobs under a heading brought. */
export function recordLines(
  machine: Machine,
  heading: string,
  records: readonly ScenarioRecord[],
): string[] {
  const speeds = compareSpeeds(records.filter((record) => record.kind === "speed"));
  const others = records.filter((record) => record.kind !== "speed");
  return [
    ...speeds.map(({ record: { raw, ...rest }, rawRatio, netRatio }) => ({
      ...rest,
      rawNs: raw.median,
      rawSpread: raw.spread,
      rawRatio,
      netRatio,
    })),
    ...others,
  ].map((record) => JSON.stringify({ machine, scenario: heading, ...record }));
}

/** One line per claim. */
export function targetLines(machine: Machine, targets: readonly TargetResult[]): string[] {
  return targets.map((target) => JSON.stringify({ machine, kind: "target", ...target }));
}
