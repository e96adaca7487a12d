/**
 * Calendar windows: minutes, hours, days, weeks, months and years of a time zone.
 *
 * They leave no gaps and never overlap: each begins where the one before ends, whatever the local
 * clocks do. They depend only on unit, zone and first weekday, so all replicas cut the same windows
 * without communication. A day begins when clocks first show its date or a later one, so it lasts
 * 23 or 25 hours when clocks change. If clocks go back over midnight, the old date does not come
 * again. An hour or minute also ends when the offset changes, so a repeated hour is a second window
 * and no window is longer than its unit.
 *
 *     day    |──── 29 ────|──── 31 ────|          30 was skipped
 *     hour   |── 1 ──|── 2 ──|── 2 ──|── 3 ──|    2 was repeated
 */

import { TidegateError } from "../base/errors.ts";
import { DAY, HOUR, MINUTE, oneOf } from "../base/options.ts";
import { WALL_MS_MAX } from "./clock.ts";
import { firstInstantAt, offsetChangeBetween, openTimeZone, type TimeZone } from "./time-zone.ts";

/** The units that consist of whole dates. */
type DateUnit = "day" | "week" | "month" | "year";

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

/** The units of calendar windows. */
export type CalendarUnit = "minute" | "hour" | DateUnit;

export interface CalendarOptions {
  readonly unit: CalendarUnit;
  /**
   * The IANA name of the zone whose clocks cut the windows.
   *
   * @default "UTC"
   */
  readonly timeZone?: string | undefined;
  /**
   * The day a week begins with; only for weeks.
   *
   * @default "monday", as in ISO 8601
   */
  readonly weekStartsOn?: Weekday | undefined;
}

/** The window of a calendar that was last asked for; an empty one before the first time. */
export class Calendar {
  /** The first instant of the window, in milliseconds since 1970. */
  startsAtMs = 0;
  /** The first instant after the window. */
  endsAtMs = 0;
  readonly #unit: CalendarUnit;
  readonly #zone: TimeZone;
  readonly #weekStartsOn: Weekday;

  /** Throws if the zone is not known, or `weekStartsOn` makes no sense. */
  constructor(options: CalendarOptions) {
    const { unit, timeZone = "UTC", weekStartsOn = "monday" } = options;
    this.#unit = unit;
    this.#zone = openTimeZone("timeZone", timeZone);
    this.#weekStartsOn = oneOf("weekStartsOn", weekStartsOn, WEEKDAYS);
    if (options.weekStartsOn !== undefined && unit !== "week") {
      throw new TidegateError(
        "TIDEGATE_OPTION_CONFLICT",
        `'weekStartsOn' is only for the unit "week", and the unit is "${unit}"`,
      );
    }
  }

  /**
   * The identity of the window: its start in whole minutes since 1970, which differs from window to
   * window and grows with them. Negative only for a window that began before 1970 in UTC.
   */
  get slot(): number {
    return Math.floor(this.startsAtMs / MINUTE);
  }

  /** The identity of the window after it. */
  get nextSlot(): number {
    return this.endsAtMs / MINUTE;
  }

  /**
   * Moves to the window around `epochMs`. If it is there already, that costs two comparisons. An
   * instant before 1970 or after the year 9999 changes nothing.
   */
  at(epochMs: number): void {
    if (epochMs >= this.startsAtMs && epochMs < this.endsAtMs) return;
    if (!(epochMs >= 0 && epochMs <= WALL_MS_MAX)) return;
    if (this.#unit === "minute") this.#moveToHands(epochMs, MINUTE);
    else if (this.#unit === "hour") this.#moveToHands(epochMs, HOUR);
    else this.#moveToDate(epochMs, this.#unit);
  }

  /** Cuts where local clocks show a multiple of `unitMs`, and where their offset changes. */
  #moveToHands(epochMs: number, unitMs: number): void {
    const zone = this.#zone;
    const offsetMs = zone.offsetMsAt(epochMs);
    const startsAtMs = Math.floor((epochMs + offsetMs) / unitMs) * unitMs - offsetMs;
    const lastMs = startsAtMs + unitMs - 1;
    this.startsAtMs =
      zone.offsetMsAt(startsAtMs) === offsetMs
        ? startsAtMs
        : offsetChangeBetween(zone, startsAtMs, epochMs);
    this.endsAtMs =
      zone.offsetMsAt(lastMs) === offsetMs
        ? lastMs + 1
        : offsetChangeBetween(zone, epochMs, lastMs);
  }

  /** Cuts where local clocks first show the date that begins a unit. */
  #moveToDate(epochMs: number, unit: DateUnit): void {
    const zone = this.#zone;
    let dateMs = epochMs + zone.offsetMsAt(epochMs);
    let endsAtMs = firstInstantAt(zone, dateStart(unit, this.#weekStartsOn, dateMs, 1));
    while (endsAtMs <= epochMs) {
      // Clocks have gone back over the end; the window has ended before and stays ended.
      dateMs = dateStart(unit, this.#weekStartsOn, dateMs, 1);
      endsAtMs = firstInstantAt(zone, dateStart(unit, this.#weekStartsOn, dateMs, 1));
    }
    this.startsAtMs = firstInstantAt(zone, dateStart(unit, this.#weekStartsOn, dateMs, 0));
    this.endsAtMs = endsAtMs;
  }
}

/**
 * The local midnight with which the unit around `localMs` begins, or one `later` units after it.
 * Local time is the number that a clock in UTC would show, so the zone does not matter here.
 */
function dateStart(unit: DateUnit, weekStartsOn: Weekday, localMs: number, later: 0 | 1): number {
  if (unit === "day") return (Math.floor(localMs / DAY) + later) * DAY;
  if (unit === "week") {
    const day = Math.floor(localMs / DAY);
    // The 7 keeps the sum above 0, also on the day before 1970.
    const sinceStart = (day + EPOCH_WEEKDAY + 7 - WEEKDAYS.indexOf(weekStartsOn)) % 7;
    return (day - sinceStart + 7 * later) * DAY;
  }
  const date = new Date(localMs);
  const year = date.getUTCFullYear();
  return unit === "month"
    ? Date.UTC(year, date.getUTCMonth() + later, 1)
    : Date.UTC(year + later, 0, 1);
}
