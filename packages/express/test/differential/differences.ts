/**
 * What differs between two answers, and the rows of docs/reference/express-differences.md that say why.
 */

import type { Answer } from "../app.ts";
import type { Pair } from "./both.ts";
import type { Peculiarity, Scenario } from "./scenario.ts";

export interface Difference {
  /** `status`, `body`, the name of a header, or of a parameter in one. */
  readonly what: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** What a row is judged by. */
export interface Context extends Pair {
  readonly scenario: Scenario;
}

export interface Row {
  readonly id: string;
  explains(difference: Difference, context: Context): boolean;
}

const LISTS = ["ratelimit", "ratelimit-policy"];

export function differencesOf({ request, theirs, ours }: Pair): Difference[] {
  const found: Difference[] = [];
  const compare = (what: string, their: unknown, our: unknown): void => {
    if (JSON.stringify(their) !== JSON.stringify(our))
      found.push({ what, theirs: their, ours: our });
  };
  compare("status", theirs.status, ours.status);
  compare("body", bodyOf(request, theirs), bodyOf(request, ours));
  const names = new Set([...Object.keys(theirs.headers), ...Object.keys(ours.headers)]);
  // What follows from the body differs with it, and once is enough.
  if (bodyOf(request, theirs) !== bodyOf(request, ours)) {
    names.delete("content-length");
    if (theirs.headers["etag"] && ours.headers["etag"]) names.delete("etag");
  }
  for (const name of names) {
    const [their, our] = [theirs.headers[name], ours.headers[name]];
    const [theirLine, ourLine] = LISTS.includes(name) ? [lineOf(their), lineOf(our)] : [];
    if (isNamed(theirLine) && isNamed(ourLine)) compareLists(name, theirLine, ourLine, compare);
    else compare(name, their, our);
  }
  return found;
}

/** What is known of a body; HEAD shows only its length. */
function bodyOf({ method }: Pair["request"], { text, headers }: Answer): unknown {
  return method === "HEAD" ? headers["content-length"] : text;
}

/** Byte for byte, but for the partition keys, which are compared by themselves. */
function compareLists(
  name: string,
  theirs: string,
  ours: string,
  compare: (what: string, their: unknown, our: unknown) => void,
): void {
  const partitionKeys = /; pk=:[^:]*:/g;
  compare(name, theirs.replaceAll(partitionKeys, ""), ours.replaceAll(partitionKeys, ""));
  compare(`${name} pk`, theirs.match(partitionKeys), ours.match(partitionKeys));
}

/** Lines of one field as the one line that they mean. */
function lineOf(value: Answer["headers"][string]): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

function isNamed(value: string | undefined): value is string {
  return value?.startsWith('"') === true;
}

/** Whether a difference is in numbers, or in who is refused. */
function isOfCounting({ what }: Difference): boolean {
  return what !== "date" && !what.endsWith(" pk");
}

function isRefused({ headers }: Answer): boolean {
  return headers["cache-control"] === "no-store";
}

/** A scenario in which the two count or number differently. */
function inScenario(id: Peculiarity): Row {
  return {
    id,
    explains: (difference, context) =>
      context.scenario.peculiarity === id &&
      (id !== "numeric-text" || context.ours.status === 500 || isOfNumber(difference)) &&
      isOfCounting(difference) &&
      !isOfKeeping(difference, context),
  };
}

/** Whether all that differs is that a limit is a number here, and text there. */
function isOfNumber({ what, theirs, ours }: Difference): boolean {
  if (what !== "body") return ["content-length", "etag"].includes(what);
  // Of a response to HEAD the length is known, and two quotes are missing in it.
  if (Number(theirs) - Number(ours) === 2) return true;
  return String(theirs).replace(/"limit":"(\d+)"/, '"limit":$1') === ours;
}

/** Both refuse, and only ours may not be kept. */
function isOfKeeping({ what, theirs }: Difference, { ours, ...context }: Context): boolean {
  if (!isRefused(ours) || context.theirs.status !== ours.status) return false;
  if (what === "cache-control") return theirs !== "no-store";
  return ["etag", "expires", "last-modified"].includes(what);
}

function hasNoFamily({ scenario }: Context): boolean {
  const { legacyHeaders, standardHeaders } = scenario.options;
  return legacyHeaders === false && standardHeaders === false;
}

const TIMES = ["retry-after", "x-ratelimit-reset", "ratelimit-reset", "ratelimit"];

/** The rows of which a whole scenario is a case. */
const BY_SCENARIO = [
  ...(["preflight", "stacked", "fractions", "address", "translated", "spelling"] as const),
  ...(["infinite", "store-hits", "numeric-text"] as const),
] as const;

export const ROWS: readonly Row[] = [
  { id: "no-store", explains: (difference, context) => isOfKeeping(difference, context) },
  {
    id: "retry-after-always",
    explains: ({ what, theirs }, context) =>
      what === "retry-after" &&
      theirs === undefined &&
      hasNoFamily(context) &&
      context.theirs.status === context.ours.status,
  },
  {
    id: "retry-after-zero",
    explains: ({ what, theirs, ours }, { scenario, request }) =>
      scenario.peculiarity === "store" &&
      request.stored[1] !== null &&
      request.stored[1] <= 0 &&
      TIMES.includes(what) &&
      theirs !== undefined &&
      ours !== undefined,
  },
  {
    id: "store-without-end",
    explains: ({ what, theirs }, { scenario, request }) =>
      scenario.peculiarity === "store" &&
      request.stored[1] === null &&
      ((what === "x-ratelimit-reset" && theirs === undefined) || what === "body"),
  },
  {
    id: "limit-zero",
    explains: ({ what }, { scenario, request: _request, theirs, ours }) =>
      scenario.peculiarity === "limit-zero" &&
      (TIMES.includes(what) || (what === "body" && theirs.status === ours.status)) &&
      !(what === "retry-after" && theirs.headers["retry-after"] === undefined),
  },
  { id: "partition-key", explains: ({ what }) => what === "ratelimit-policy pk" },
  { id: "date", explains: ({ what }) => what === "date" },
  ...BY_SCENARIO.map((id) => {
    const row = inScenario(id);
    return {
      id,
      explains: (difference: Difference, context: Context) =>
        row.explains(difference, context) &&
        !ROWS.slice(0, 2).some((other) => other.explains(difference, context)),
    };
  }),
];
