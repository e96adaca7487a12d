/**
 * Durations as users of @fastify/rate-limit may write them: `"1 minute"`, `"90s"`, `"1.5 h"`.
 */

import { DAY, HOUR, MINUTE, SECOND, TidegateError } from "@tidegate/core";

const YEAR_DAYS = 365.25;

/** The spellings of each unit, by its length in milliseconds. */
const UNITS: readonly (readonly [number, readonly string[]])[] = [
  [1, ["", "ms", "msec", "msecs", "millisecond", "milliseconds"]],
  [SECOND, ["s", "sec", "secs", "second", "seconds"]],
  [MINUTE, ["m", "min", "mins", "minute", "minutes"]],
  [HOUR, ["h", "hr", "hrs", "hour", "hours"]],
  [DAY, ["d", "day", "days"]],
  [7 * DAY, ["w", "wk", "wks", "week", "weeks"]],
  [YEAR_DAYS * DAY, ["y", "yr", "yrs", "year", "years"]],
];

/** Milliseconds of a `timeWindow`; a value that is no text is returned unchanged. */
export function windowMsOf<Given>(timeWindow: Given): Exclude<Given, string> | number {
  if (typeof timeWindow === "number") return Math.trunc(timeWindow);
  if (typeof timeWindow !== "string") return timeWindow as Exclude<Given, string>;
  const [, amount = "", unit = ""] = /^(\d*\.?\d+) *([a-z]*)$/i.exec(timeWindow.trim()) ?? [];
  const [unitMs] = UNITS.find(([, names]) => names.includes(unit.toLowerCase())) ?? [];
  if (amount !== "" && unitMs !== undefined) return Number(amount) * unitMs;
  throw new TidegateError(
    "TIDEGATE_OPTION_INVALID",
    `'timeWindow' must be milliseconds or a duration such as "1 minute" or "12h", got ${JSON.stringify(timeWindow)}`,
  );
}
