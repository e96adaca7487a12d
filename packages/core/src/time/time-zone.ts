/**
 * The offset of a time zone, and when its local clocks first show a given time.
 *
 * Local time is written as the milliseconds at which a clock in UTC would show the same, so that it
 * can be computed with. Only the offset is asked of `Intl`, which takes microseconds: callers keep
 * what they found. Everything here relies on one fact about the zones since 1970: two changes of
 * the offset are days apart (a week is the least). So at most one change falls into a search.
 */

import { invalidOption } from "../base/options.ts";

/** No zone is further from UTC than this; searches begin so long before the searched time. */
const OFFSET_MS_MAX = 16 * 3_600_000;

/** The offsets of one zone. */
export interface TimeZone {
  /** What local clocks show at `epochMs`, less what a clock in UTC shows. */
  offsetMsAt(epochMs: number): number;
}

/** Opens a zone by its IANA name; throws if there is none. */
export function openTimeZone(option: string, name: unknown): TimeZone {
  const expected = "an IANA time zone that Intl knows, such as 'Europe/Berlin' or 'UTC'";
  // Newer engines also take offsets such as "+05:30", and replicas must all take the same.
  if (typeof name !== "string" || !/^[a-z]/i.test(name))
    throw invalidOption(option, expected, name);
  if (name.toUpperCase() === "UTC") return { offsetMsAt: () => 0 };
  try {
    return { offsetMsAt: offsetReader(name) };
  } catch {
    throw invalidOption(option, expected, name);
  }
}

/** The first instant at which clocks in the zone show `localMs` or more. */
export function firstInstantAt(zone: TimeZone, localMs: number): number {
  let fromMs = localMs - OFFSET_MS_MAX;
  for (;;) {
    const offsetMs = zone.offsetMsAt(fromMs);
    const reachedMs = localMs - offsetMs;
    if (reachedMs <= fromMs) return fromMs; // The change of the offset skipped that time.
    if (zone.offsetMsAt(reachedMs) === offsetMs) return reachedMs;
    fromMs = offsetChangeBetween(zone, fromMs, reachedMs);
  }
}

/**
 * The first instant after `fromMs`, up to `toMs`, at which the offset is another than at `fromMs`.
 */
export function offsetChangeBetween(zone: TimeZone, fromMs: number, toMs: number): number {
  const offsetMs = zone.offsetMsAt(fromMs);
  let sameMs = fromMs;
  let changedMs = toMs;
  while (changedMs - sameMs > 1) {
    const middleMs = Math.floor((sameMs + changedMs) / 2);
    if (zone.offsetMsAt(middleMs) === offsetMs) sameMs = middleMs;
    else changedMs = middleMs;
  }
  return changedMs;
}

function offsetReader(timeZone: string): (epochMs: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (epochMs) => {
    const wholeSecondMs = Math.floor(epochMs / 1_000) * 1_000;
    const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of format.formatToParts(wholeSecondMs)) shown[type] = Number(value);
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSecondMs;
  };
}
