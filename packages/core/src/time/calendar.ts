/**
 * Calendar windows: minutes, hours, days, weeks, months and years of a time zone.
 *
 * They tile time: each begins where the one before ends, whatever the local clocks do. They depend
 * only on unit, zone and first weekday, so all replicas cut the same windows without communication.
 * A day begins when clocks first show its date or a later one, so it lasts 23 or 25 hours when
 * clocks change. If clocks go back over midnight, the old date does not come again. An hour or
 * minute also ends when the offset changes, so a repeated hour is a second window and no window is
 * longer than its unit.
 *
 *     day    |──── 29 ────|──── 31 ────|          30 was skipped
 *     hour   |── 1 ──|── 2 ──|── 2 ──|── 3 ──|    2 was repeated
 */

import { HOUR, MINUTE } from "../base/durations.ts";
import { TidegateError } from "../base/errors.ts";
import { knownOptions, missingOption, oneOf } from "../base/options.ts";
import { WALL_MS_MAX } from "./clock.ts";
import { type DateUnit, dateStart, WEEKDAYS, type Weekday } from "./dates.ts";
import { firstInstantAt, offsetChangeBetween, openTimeZone, type TimeZone } from "./time-zone.ts";

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

const UNITS = ["minute", "hour", "day", "week", "month", "year"] as const;

/**
 * Creates the calendar for one unit in one zone.
 *
 * @example
 * const calendar = createCalendar({ unit: "month", timeZone: "Europe/Berlin" });
 * calendar.at(Date.UTC(2024, 1, 29));
 * new Date(calendar.endsAtMs).toISOString(); // 2024-02-29T23:00:00.000Z
 */
export function createCalendar(options: CalendarOptions): Calendar {
  knownOptions("createCalendar", options, ["unit", "timeZone", "weekStartsOn"]);
  if (options.unit === undefined) {
    throw missingOption("createCalendar", "unit", `one of ${UNITS.join(", ")}`);
  }
  const unit = oneOf("unit", options.unit, UNITS);
  const { timeZone = "UTC", weekStartsOn = "monday" } = options;
  const zone = openTimeZone("timeZone", timeZone);
  oneOf("weekStartsOn", weekStartsOn, WEEKDAYS);
  if (options.weekStartsOn !== undefined && unit !== "week") {
    throw new TidegateError(
      "TIDEGATE_OPTION_CONFLICT",
      `'weekStartsOn' is only for the unit "week", and the unit is "${unit}"`,
    );
  }
  return new Calendar(unit, zone, weekStartsOn);
}

/** The window of a calendar that was last asked for; an empty one before the first time. */
export class Calendar {
  readonly #unit: CalendarUnit;
  readonly #zone: TimeZone;
  readonly #weekStartsOn: Weekday;
  #startsAtMs = 0;
  #endsAtMs = 0;

  constructor(unit: CalendarUnit, zone: TimeZone, weekStartsOn: Weekday) {
    this.#unit = unit;
    this.#zone = zone;
    this.#weekStartsOn = weekStartsOn;
  }

  /** The first instant of the window, in milliseconds since 1970. */
  get startsAtMs(): number {
    return this.#startsAtMs;
  }

  /** The first instant after the window. */
  get endsAtMs(): number {
    return this.#endsAtMs;
  }

  /**
   * The identity of the window: its start in whole minutes since 1970, which differs from window to
   * window and grows with them. Negative only for a window that began before 1970 in UTC.
   */
  get slot(): number {
    return Math.floor(this.#startsAtMs / MINUTE);
  }

  /**
   * Moves to the window around `epochMs`. If it is there already, that costs two comparisons. An
   * instant before 1970 or after the year 9999 changes nothing.
   */
  at(epochMs: number): void {
    if (epochMs >= this.#startsAtMs && epochMs < this.#endsAtMs) return;
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
    this.#startsAtMs =
      zone.offsetMsAt(startsAtMs) === offsetMs
        ? startsAtMs
        : offsetChangeBetween(zone, startsAtMs, epochMs);
    this.#endsAtMs =
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
    this.#startsAtMs = firstInstantAt(zone, dateStart(unit, this.#weekStartsOn, dateMs, 0));
    this.#endsAtMs = endsAtMs;
  }
}
