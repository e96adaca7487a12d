/**
 * At most `limit` hits in each window of time: the policy that most limiters on npm have.
 *
 * A window opens with a key's first hit, or starts at fixed instants with `align`, or follows the
 * calendar. It is the cheapest policy and the easiest to explain. Around the edge of two windows a
 * client can get up to twice the limit at once; with a `slidingWindow` it must wait in between.
 */

import { TidegateError } from "../base/errors.ts";
import {
  DAY,
  durationMs,
  flag,
  HOUR,
  invalidOption,
  knownOptions,
  MINUTE,
  missingOption,
  oneOf,
  wholeNumber,
} from "../base/options.ts";
import {
  Calendar,
  type CalendarOptions,
  type CalendarUnit,
  type Weekday,
} from "../time/calendar.ts";
import { type CommonPolicyOptions, makePolicy, policyName } from "./policy.ts";

const BACKOFF_FACTOR = 2;
const BACKOFF_FACTOR_MAX = 1_000;

export interface FixedWindowOptions extends CommonPolicyOptions {
  /** Hits allowed in a window; 0 refuses everything. */
  readonly limit: number;
  /** How long a window lasts. Give this or `calendar`. */
  readonly windowMs?: number | undefined;
  /**
   * Starts windows at fixed instants, which differ from key to key so that not all quotas renew at
   * once, instead of at a key's first hit.
   *
   * @default false
   */
  readonly align?: boolean | undefined;
  /** Follows the calendar instead: a quota per day, per month, and so on. */
  readonly calendar?: CalendarUnit | undefined;
  /**
   * Whose calendar, as an IANA name such as `Europe/Berlin`.
   *
   * @default "UTC"
   */
  readonly timeZone?: string | undefined;
  /**
   * On which day a calendar week starts.
   *
   * @default "monday"
   */
  readonly weekStartsOn?: Weekday | undefined;
  /**
   * Counts refused hits as well, so that `used` shows how often a client tried.
   *
   * @default false
   */
  readonly countRefused?: boolean | undefined;
  /**
   * Starts the wait again at every refused hit: a client must pause for a whole window.
   *
   * @default false
   */
  readonly restart?: boolean | undefined;
  /**
   * Makes a client wait longer with each refusal in a window: one window's length, then `factor`
   * times that, and so on up to `maxMs`.
   *
   * @default false
   */
  readonly backoff?:
    | boolean
    | { readonly factor?: number | undefined; readonly maxMs?: number | undefined }
    | undefined;
  /** Blocks a client for `forMs` once more than `after` of its hits were refused in a window. */
  readonly ban?: { readonly after: number; readonly forMs: number } | undefined;
  /**
   * Refuses everything until the window ends once a hit was refused, even a smaller one that would
   * still fit.
   *
   * @default false
   */
  readonly drain?: boolean | undefined;
}

export interface FixedWindowPolicy {
  readonly kind: "fixedWindow";
  readonly name: string;
  readonly limit: number;
  /**
   * The window's length; for a calendar, that of its longest window. When clocks are put back, a
   * calendar window lasts an hour or two longer.
   */
  readonly windowMs: number;
  readonly align: boolean;
  readonly calendar: CalendarOptions | null;
  readonly countRefused: boolean;
  readonly restart: boolean;
  readonly backoff: { readonly factor: number; readonly maxMs: number } | null;
  readonly ban: { readonly after: number; readonly forMs: number } | null;
  readonly drain: boolean;
}

const OPTIONS = [
  "name",
  "limit",
  "windowMs",
  "align",
  "calendar",
  "timeZone",
  "weekStartsOn",
  "countRefused",
  "restart",
  "backoff",
  "ban",
  "drain",
] as const;

/** The longest that a window of each unit lasts, where clocks are not put back. */
const UNIT_MS: Readonly<Record<CalendarUnit, number>> = {
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 31 * DAY,
  year: 366 * DAY,
};

/**
 * Allows `limit` hits in each window of time.
 *
 * @example
 * fixedWindow({ limit: 100, windowMs: MINUTE });
 * fixedWindow({ limit: 10_000, calendar: "month", timeZone: "Europe/Berlin" });
 * fixedWindow({ limit: 5, windowMs: MINUTE, ban: { after: 20, forMs: HOUR } });
 */
export function fixedWindow(options: FixedWindowOptions): FixedWindowPolicy {
  knownOptions("fixedWindow", options, OPTIONS);
  const { align = false, countRefused = false, restart = false, drain = false } = options;
  if (options.limit === undefined) throw missingOption("fixedWindow", "limit", "how many hits");
  const policy = makePolicy<FixedWindowPolicy>({
    kind: "fixedWindow",
    name: policyName("fixedWindow", options.name),
    limit: wholeNumber("limit", options.limit, 0),
    windowMs: windowMsOf(options),
    align: flag("align", align),
    calendar: calendarOf(options),
    countRefused: flag("countRefused", countRefused),
    restart: flag("restart", restart),
    backoff: backoffOf(options),
    ban: banOf(options.ban),
    drain: flag("drain", drain),
  });
  if (policy.align && policy.calendar !== null) throw conflict("align", "calendar");
  if (policy.restart && policy.backoff !== null) throw conflict("restart", "backoff");
  return policy;
}

function windowMsOf(options: FixedWindowOptions): number {
  if (options.windowMs !== undefined) {
    if (options.calendar !== undefined) throw conflict("windowMs", "calendar");
    return durationMs("windowMs", options.windowMs);
  }
  if (options.calendar === undefined) {
    throw missingOption("fixedWindow", "windowMs", "how long a window lasts, or give 'calendar'");
  }
  return UNIT_MS[options.calendar];
}

function calendarOf(options: FixedWindowOptions): CalendarOptions | null {
  const { calendar, timeZone, weekStartsOn } = options;
  if (calendar === undefined) {
    const stray = timeZone !== undefined ? "timeZone" : "weekStartsOn";
    if (options[stray] === undefined) return null;
    throw new TidegateError("TIDEGATE_OPTION_CONFLICT", `'${stray}' needs 'calendar'`);
  }
  oneOf("calendar", calendar, Object.keys(UNIT_MS));
  const resolved = Object.freeze({ unit: calendar, timeZone, weekStartsOn });
  new Calendar(resolved); // Throws what is wrong with it here, where it was written.
  return resolved;
}

function backoffOf(options: FixedWindowOptions): FixedWindowPolicy["backoff"] {
  const { backoff = false } = options;
  if (typeof backoff === "boolean") {
    return backoff ? { factor: BACKOFF_FACTOR, maxMs: DAY } : null;
  }
  knownOptions("'backoff'", backoff, ["factor", "maxMs"]);
  const { factor = BACKOFF_FACTOR, maxMs = DAY } = backoff;
  if (!(typeof factor === "number" && factor > 1 && factor <= BACKOFF_FACTOR_MAX)) {
    const expected = `a number above 1 and at most ${BACKOFF_FACTOR_MAX}`;
    throw invalidOption("backoff.factor", expected, factor);
  }
  return Object.freeze({ factor, maxMs: durationMs("backoff.maxMs", maxMs) });
}

function banOf(ban: FixedWindowOptions["ban"]): FixedWindowPolicy["ban"] {
  if (ban === undefined) return null;
  knownOptions("'ban'", ban, ["after", "forMs"]);
  if (ban.after === undefined)
    throw missingOption("'ban'", "after", "how many refusals come first");
  if (ban.forMs === undefined) throw missingOption("'ban'", "forMs", "how long it lasts");
  return Object.freeze({
    after: wholeNumber("ban.after", ban.after, 0),
    forMs: durationMs("ban.forMs", ban.forMs),
  });
}

function conflict(one: string, other: string): TidegateError {
  return new TidegateError("TIDEGATE_OPTION_CONFLICT", `give '${one}' or '${other}', not both`);
}

/** Whether this policy has penalties. */
export function hasPenalties({ restart, drain, backoff, ban }: FixedWindowPolicy): boolean {
  return restart || drain || backoff !== null || ban !== null;
}
