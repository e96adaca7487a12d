/**
 * Every order of events of small histories, within a bound. A failure prints the steps that led to
 * it, and a line that takes them again.
 */

import {
  type Bound,
  explore,
  FailingSchedule,
  type FaultType,
} from "@tidegate/simulator/exploration";
import { seededRuns } from "@tidegate/testkit";
import { describe, it } from "vitest";
import {
  beginHistory,
  hit,
  refund,
  release,
  remake,
  reset,
  rest,
  type SmallHistory,
} from "./small-history.ts";

/** With narrowed bounds, or as it ships. */
const PROJECT = process.env["TIDEGATE_NARROWED"] === "1" ? "narrowed" : "exploration";

interface Case extends SmallHistory {
  readonly title: string;
  readonly faults: readonly FaultType[];
  readonly bound: Bound;
}

const CASES: readonly Case[] = [
  {
    title: "two replicas count, and a frame is lost or repeated",
    policy: "window",
    programs: [[hit(), hit()], [hit()]],
    faults: ["lose", "repeat"],
    bound: { steps: 13, deviations: 2, ticks: 5, faults: 2 },
  },
  {
    title: "frames are lost before and after a gap is repaired",
    policy: "window",
    programs: [[hit(), rest(), hit()], [hit()]],
    faults: ["lose"],
    bound: { steps: 13, deviations: 2, ticks: 5, faults: 2 },
  },
  {
    title: "three replicas count one key",
    policy: "window",
    programs: [[hit()], [hit()], [hit()]],
    faults: ["lose"],
    bound: { steps: 9, deviations: 2, ticks: 4, faults: 1 },
  },
  {
    title: "turns end before their work is done",
    policy: "window",
    programs: [[hit("k"), hit("l"), hit("k")], [hit("k")]],
    faults: ["lose", "busy"],
    bound: { steps: 8, deviations: 2, ticks: 4, faults: 1, cuts: 1 },
  },
  {
    title: "a hit is refunded",
    policy: "window",
    programs: [[hit(), refund(), hit()], [hit()]],
    faults: ["lose", "repeat"],
    bound: { steps: 10, deviations: 2, ticks: 4, faults: 1 },
  },
  {
    title: "a key is reset while another replica counts it",
    policy: "window",
    programs: [[hit(), reset(), hit()], [hit()]],
    faults: ["lose", "repeat"],
    bound: { steps: 9, deviations: 2, ticks: 4, faults: 1 },
  },
  {
    title: "permits are acquired and released",
    policy: "permits",
    programs: [
      [hit(), release(), hit()],
      [hit(), release()],
    ],
    faults: ["lose", "repeat"],
    bound: { steps: 13, deviations: 2, ticks: 5, faults: 1 },
  },
  {
    title: "permits are kept while others of the key are released",
    policy: "permits",
    programs: [[hit(), hit(), release(), rest()], [hit()]],
    faults: ["lose", "repeat"],
    bound: { steps: 10, deviations: 2, ticks: 4, faults: 2 },
  },
  {
    title: "a limiter is made again",
    policy: "permits",
    programs: [[hit(), remake, hit()], [hit()]],
    faults: ["lose"],
    bound: { steps: 13, deviations: 2, ticks: 5, faults: 1 },
  },
  {
    title: "a replica crashes",
    settleMs: 30_000,
    policy: "window",
    programs: [[hit(), hit()], [hit()], []],
    faults: ["crash", "lose"],
    bound: { steps: 8, deviations: 2, ticks: 3, faults: 2 },
  },
  {
    title: "a replica with permits crashes",
    settleMs: 30_000,
    policy: "permits",
    programs: [[hit()], [hit()], []],
    faults: ["crash", "lose"],
    bound: { steps: 8, deviations: 2, ticks: 3, faults: 1 },
  },
  {
    title: "one direction is cut",
    policy: "window",
    programs: [[hit()], [hit()], []],
    faults: ["cut"],
    bound: { steps: 7, deviations: 2, ticks: 3, faults: 1 },
  },
];

const { numRuns: scale } = seededRuns(1);
const isWide = scale >= 10;

describe("no order of events misleads a replica, and all agree in the end, when", () => {
  it.each(CASES.map((each) => [each.title, each] as const))("%s", (title, each) => {
    const { faults, bound, ...history } = each;
    const deviations = bound.deviations + (isWide ? 1 : 0);
    try {
      const { schedules, met, states, steps, isWhole } = explore({
        begin: () => beginHistory(history),
        faults,
        bound: { ...bound, deviations },
        schedulesMax: isWide ? 500 * scale : undefined,
        only: process.env["TIDEGATE_TEST_SCHEDULE"],
      });
      const ended = isWhole ? "no others" : "cut short";
      const covered = `${schedules} schedules (${ended}) and ${met} that met a state from before`;
      process.stdout.write(`${title}: ${covered}, ${states} states, ${steps} steps\n`);
    } catch (error) {
      if (!(error instanceof FailingSchedule)) throw error;
      const test = "packages/core/test/exploration/small-histories";
      const command = `npm run test:fast -- --project=${PROJECT} ${test} -t '${title}'`;
      error.message += `\nreplay: TIDEGATE_TEST_SCHEDULE='${error.schedule}' ${command}`;
      throw error;
    }
  });
});
