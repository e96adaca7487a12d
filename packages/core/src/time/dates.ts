/**
 * Days, weeks, months and years as spans of local time, from their first midnight to the next
 * one's.
 *
 * Local time is the number that a clock in UTC would show, so these are plain spans without a zone.
 * How long they really last depends on the zone, which is not known here.
 */

import { DAY } from "../base/durations.ts";

/** The units that consist of whole dates. */
export type DateUnit = "day" | "week" | "month" | "year";

/** The days of the week, in the order of ISO 8601. */
export const WEEKDAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;

/** The name of a day of the week. */
export type Weekday = (typeof WEEKDAYS)[number];

/** 1970 began on a Thursday. */
const EPOCH_WEEKDAY = 3;

/**
 * The local midnight with which the unit around `localMs` begins, or one `later` units after it.
 */
export function dateStart(
  unit: DateUnit,
  weekStartsOn: Weekday,
  localMs: number,
  later: 0 | 1,
): number {
  if (unit === "day") return (Math.floor(localMs / DAY) + later) * DAY;
  if (unit === "week") {
    const day = Math.floor(localMs / DAY);
    const sinceStart = modulo(day + EPOCH_WEEKDAY - WEEKDAYS.indexOf(weekStartsOn), 7);
    return (day - sinceStart + 7 * later) * DAY;
  }
  const date = new Date(localMs);
  const year = date.getUTCFullYear();
  return unit === "month"
    ? Date.UTC(year, date.getUTCMonth() + later, 1)
    : Date.UTC(year + later, 0, 1);
}

/** The remainder that is never negative. */
function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
