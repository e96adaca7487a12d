import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/base/options.ts";
import { Calendar, type CalendarUnit, WEEKDAYS } from "../../src/time/calendar.ts";
import { expectSame } from "../quick-expectation.ts";

const END_OF_2100 = Date.UTC(2101, 0, 1) - 1;

/** The only zone since 1970 whose offset had seconds: nothing there is on a whole minute. */
const SECONDS_ZONE = "Africa/Monrovia";

const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")].filter(
  (zone) => zone !== SECONDS_ZONE,
);
const timeZone = fc.constantFrom(...zones);
const unit = fc.constantFrom<CalendarUnit>("minute", "hour", "day", "week", "month", "year");

/** What local clocks show, read by a way of its own: `2024-03-10 01:30 GMT-05:00`. */
class WallClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat("sv-SE", {
      timeZone: zone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      timeZoneName: "longOffset",
    });
  }

  shows(epochMs: number): { date: string; hour: string; offset: string } {
    const [date = "", time = "", offset = ""] = this.#format.format(epochMs).split(" ");
    return { date, hour: time.slice(0, 2), offset };
  }
}

/** A zone and an instant: half of the instants lie within two days of a change of the offset. */
const period = fc
  .record({
    zone: timeZone,
    epochMs: fc.integer({ min: 0, max: END_OF_2100 }),
    nearChange: fc.boolean(),
    asideMs: fc.integer({ min: -2 * DAY, max: 2 * DAY }),
  })
  .map(({ zone, epochMs, nearChange, asideMs }) => {
    if (!nearChange) return { zone, epochMs };
    const clock = new WallClock(zone);
    const { offset } = clock.shows(epochMs);
    let changedMs = epochMs;
    const isSame = (ms: number): boolean => clock.shows(ms).offset === offset;
    // By weeks first, since to ask a clock takes longer than all else here.
    for (let weeks = 0; weeks < 43 && isSame(changedMs + 7 * DAY); weeks++) changedMs += 7 * DAY;
    for (let days = 0; days < 7 && isSame(changedMs); days++) changedMs += DAY;
    const nearMs = changedMs + asideMs;
    return { zone, epochMs: Math.min(Math.max(nearMs, 0), END_OF_2100) };
  });

function calendarAt(options: { unit: CalendarUnit; timeZone: string }, epochMs: number): Calendar {
  const calendar = new Calendar(options);
  calendar.at(epochMs);
  return calendar;
}

function window({ startsAtMs, endsAtMs, slot }: Calendar): object {
  return { startsAtMs, endsAtMs, slot };
}

describe("the windows of any calendar", () => {
  it("tile time without gap or overlap, and their slots grow", () => {
    fc.assert(
      fc.property(period, unit, ({ zone, epochMs }, cut) => {
        const calendar = calendarAt({ unit: cut, timeZone: zone }, epochMs);
        expect(calendar.startsAtMs).toBeLessThanOrEqual(epochMs);
        expect(calendar.endsAtMs).toBeGreaterThan(epochMs);
        for (let step = 0; step < 60; step++) {
          const { endsAtMs, slot } = calendar;
          calendar.at(endsAtMs);
          expectSame(calendar.startsAtMs, endsAtMs);
          if (calendar.slot <= slot) expect(calendar.slot).toBeGreaterThan(slot);
        }
      }),
      seededRuns(300),
    );
  });

  it("do not depend on which of their instants was asked for, nor on earlier calls", () => {
    fc.assert(
      fc.property(period, unit, fc.nat(), ({ zone, epochMs }, cut, inside) => {
        const options = { unit: cut, timeZone: zone };
        const first = calendarAt(options, epochMs);
        const { startsAtMs, endsAtMs } = first;
        const within = startsAtMs + (inside % (endsAtMs - startsAtMs));
        for (const ms of [startsAtMs, within, endsAtMs - 1]) {
          if (ms < 0) continue;
          expect(window(calendarAt(options, ms))).toEqual(window(first));
          const travelled = calendarAt(options, (epochMs * 7) % END_OF_2100);
          travelled.at(ms);
          expect(window(travelled)).toEqual(window(first));
        }
      }),
      seededRuns(300),
    );
  });
});

describe("an hour", () => {
  it("is the time in which clocks show one hour at one offset", () => {
    fc.assert(
      fc.property(period, ({ zone, epochMs }) => {
        const clock = new WallClock(zone);
        const label = (ms: number): string => JSON.stringify(clock.shows(ms));
        const now = label(epochMs);
        let startsAtMs = Math.floor(epochMs / MINUTE) * MINUTE;
        let endsAtMs = startsAtMs + MINUTE;
        while (label(startsAtMs - MINUTE) === now) startsAtMs -= MINUTE;
        while (label(endsAtMs) === now) endsAtMs += MINUTE;
        const calendar = calendarAt({ unit: "hour", timeZone: zone }, epochMs);
        expect(window(calendar)).toMatchObject({ startsAtMs, endsAtMs });
        expect(endsAtMs - startsAtMs).toBeLessThanOrEqual(HOUR);
      }),
      seededRuns(150),
    );
  });
});

describe("a minute", () => {
  it("is a minute of UTC wherever offsets are whole minutes", () => {
    fc.assert(
      fc.property(period, ({ zone, epochMs }) => {
        const calendar = calendarAt({ unit: "minute", timeZone: zone }, epochMs);
        expect(calendar.startsAtMs).toBe(Math.floor(epochMs / MINUTE) * MINUTE);
        expect(calendar.endsAtMs).toBe(calendar.startsAtMs + MINUTE);
      }),
      seededRuns(200),
    );
  });
});

describe("a day", () => {
  it("is the time in which the latest date that clocks have shown is one date", () => {
    fc.assert(
      fc.property(period, ({ zone, epochMs }) => {
        const clock = new WallClock(zone);
        const minute = Math.floor(epochMs / MINUTE) * MINUTE;
        let latest = "";
        let startsAtMs = 0;
        let endsAtMs = 0;
        for (let ms = minute - 40 * HOUR; endsAtMs === 0; ms += MINUTE) {
          const { date } = clock.shows(ms);
          if (date <= latest) continue;
          latest = date;
          if (ms <= epochMs) startsAtMs = ms;
          else endsAtMs = ms;
        }
        const calendar = calendarAt({ unit: "day", timeZone: zone }, epochMs);
        expect(window(calendar)).toMatchObject({ startsAtMs, endsAtMs });
      }),
      seededRuns(100),
    );
  });
});

describe("weeks, months and years", () => {
  const weekday = fc.constantFrom(...WEEKDAYS);

  /** What the dates of one unit have in common. */
  function unitOf(cut: string, weekStartsOn: string, date: string): string {
    if (cut === "month") return date.slice(0, 7);
    if (cut === "year") return date.slice(0, 4);
    let ms = Date.parse(date);
    while (WEEKDAYS[(new Date(ms).getUTCDay() + 6) % 7] !== weekStartsOn) ms -= DAY;
    return new Date(ms).toISOString().slice(0, 10);
  }

  it("are whole days, and all days whose dates belong together", () => {
    fc.assert(
      fc.property(
        period,
        fc.constantFrom("week" as const, "month" as const, "year" as const),
        weekday,
        ({ zone, epochMs }, cut, weekStartsOn) => {
          const instant = Math.max(epochMs, 400 * DAY);
          const clock = new WallClock(zone);
          const days = new Calendar({ unit: "day", timeZone: zone });
          const unitAt = (ms: number): string => {
            days.at(ms);
            return unitOf(cut, weekStartsOn, clock.shows(days.startsAtMs).date);
          };
          const calendar = new Calendar(
            cut === "week"
              ? { unit: cut, timeZone: zone, weekStartsOn }
              : { unit: cut, timeZone: zone },
          );
          calendar.at(instant);
          const { startsAtMs, endsAtMs } = calendar;
          const now = unitAt(instant);
          expect([unitAt(startsAtMs), days.startsAtMs]).toEqual([now, startsAtMs]);
          expect([unitAt(endsAtMs - 1), days.endsAtMs]).toEqual([now, endsAtMs]);
          expect(unitAt(startsAtMs - 1)).not.toBe(now);
          expect(unitAt(endsAtMs)).not.toBe(now);
        },
      ),
      seededRuns(300),
    );
  });
});
