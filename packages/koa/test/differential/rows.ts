/**
 * The rows of docs/reference/koa-differences.md: what each explains.
 */

import { type Difference, isOfKeeping, type Pair, type Row } from "@tidegate/testkit/http";
import { BEFORE } from "./both.ts";
import type { Peculiarity, Scenario } from "./scenario.ts";

const WAITS = ["retry-after", "x-told-after"];
const RESETS = ["x-ratelimit-reset", "until"];

function isReset({ what, theirs, ours }: Difference): boolean {
  return RESETS.includes(what) && Math.ceil(Number(theirs)) === Number(ours);
}

function isWait({ what, theirs, ours }: Difference): boolean {
  return WAITS.includes(what) && Number(ours) === Number(theirs) + 1;
}

/** A header set before the refusal was thrown, which only theirs loses. */
function isLost({ what, theirs, ours }: Difference): boolean {
  if (what === "cache-control" || theirs !== undefined) return false;
  return ours === BEFORE[what] || what === "x-limited";
}

/** What explains a difference whatever else is peculiar about a scenario. */
const EVERYWHERE: readonly Row<Scenario>[] = [
  { id: "no-store", explains: isOfKeeping },
  { id: "reset-integer", explains: isReset },
  { id: "retry-after", explains: isWait },
  { id: "headers-kept", explains: isLost },
];

function inScenario(id: Peculiarity): Row<Scenario> {
  return {
    id,
    explains: (difference, pair: Pair<Scenario>) =>
      pair.scenario.peculiarity === id && !EVERYWHERE.some((row) => row.explains(difference, pair)),
  };
}

export const ROWS: readonly Row<Scenario>[] = [
  ...EVERYWHERE,
  ...(["edge", "preflight", "stacked", "ipv6", "address"] as const).map(inScenario),
  ...(["limit-zero", "infinite", "long-waits"] as const).map(inScenario),
  {
    id: "numeric-text",
    explains: (difference, pair) =>
      pair.ours.status === 500 && inScenario("numeric-text").explains(difference, pair),
  },
];
