import { describe, expect, it, vi } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/base/options.ts";
import { Calendar, type CalendarOptions } from "../../src/time/calendar.ts";

/** The window around an instant, as times of UTC, and how long it is. */
function windowAt(options: CalendarOptions, instant: string): [string, string, hours: number] {
  const calendar = new Calendar(options);
  calendar.at(Date.parse(instant));
  const { startsAtMs, endsAtMs } = calendar;
  const short = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
  return [short(startsAtMs), short(endsAtMs), (endsAtMs - startsAtMs) / HOUR];
}

/** The lengths of consecutive windows, in hours. */
function hoursFrom(options: CalendarOptions, instant: string, windows: number): number[] {
  const calendar = new Calendar(options);
  calendar.at(Date.parse(instant));
  return Array.from({ length: windows }, () => {
    const { startsAtMs, endsAtMs } = calendar;
    calendar.at(endsAtMs);
    expect(calendar.startsAtMs).toBe(endsAtMs);
    return (endsAtMs - startsAtMs) / HOUR;
  });
}

describe("a calendar in UTC", () => {
  it("cuts every unit at its round times", () => {
    const instant = "2024-02-29T13:37:42Z";
    const start = (unit: CalendarOptions["unit"]): string[] =>
      windowAt({ unit }, instant).slice(0, 2) as string[];
    expect(start("minute")).toEqual(["2024-02-29T13:37", "2024-02-29T13:38"]);
    expect(start("hour")).toEqual(["2024-02-29T13:00", "2024-02-29T14:00"]);
    expect(start("day")).toEqual(["2024-02-29T00:00", "2024-03-01T00:00"]);
    expect(start("week")).toEqual(["2024-02-26T00:00", "2024-03-04T00:00"]);
    expect(start("month")).toEqual(["2024-02-01T00:00", "2024-03-01T00:00"]);
    expect(start("year")).toEqual(["2024-01-01T00:00", "2025-01-01T00:00"]);
  });

  it("gives every month from 1970 to 2100 its days", () => {
    const calendar = new Calendar({ unit: "month" });
    calendar.at(0);
    for (let year = 1970; year <= 2100; year++) {
      const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
      for (const days of [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
        const { startsAtMs, endsAtMs } = calendar;
        expect(endsAtMs - startsAtMs, new Date(startsAtMs).toISOString()).toBe(days * DAY);
        calendar.at(endsAtMs);
      }
    }
    expect(calendar.startsAtMs).toBe(Date.UTC(2101, 0, 1));
  });

  it("never asks Intl", () => {
    const intl = globalThis.Intl;
    try {
      Reflect.set(globalThis, "Intl", undefined);
      expect(windowAt({ unit: "month" }, "2024-02-29T00:00Z")[2]).toBe(29 * 24);
      expect(windowAt({ unit: "hour", timeZone: "utc" }, "2024-02-29T00:00Z")[2]).toBe(1);
    } finally {
      Reflect.set(globalThis, "Intl", intl);
    }
  });
});

describe("a calendar of weeks", () => {
  it("begins them on Monday, as ISO 8601 does, over the turn of the year as well", () => {
    const monday = ["2024-12-30T00:00", "2025-01-06T00:00", 7 * 24];
    expect(windowAt({ unit: "week" }, "2025-01-01T12:00Z")).toEqual(monday);
    expect(windowAt({ unit: "week" }, "2024-12-30T00:00Z")).toEqual(monday);
    expect(windowAt({ unit: "week" }, "2025-01-05T23:59:59.999Z")).toEqual(monday);
    expect(windowAt({ unit: "week" }, "1970-01-01T00:00Z")[0]).toBe("1969-12-29T00:00");
  });

  it("begins them on any other day when told to", () => {
    const starts = (
      ["tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const
    ).map((weekStartsOn) =>
      windowAt({ unit: "week", weekStartsOn }, "2025-01-02T12:00Z")[0].slice(5, 10),
    );
    expect(starts).toEqual(["12-31", "01-01", "01-02", "12-27", "12-28", "12-29"]);
  });

  it("makes them an hour shorter or longer when clocks change", () => {
    const week = { unit: "week", timeZone: "Europe/Berlin" } as const;
    expect(hoursFrom(week, "2024-03-20T12:00Z", 3)).toEqual([168, 167, 168]);
  });
});

describe("a calendar where clocks change", () => {
  it("has days of 23 and 25 hours", () => {
    const day = { unit: "day", timeZone: "America/New_York" } as const;
    expect(hoursFrom(day, "2024-03-09T12:00Z", 3)).toEqual([24, 23, 24]);
    expect(hoursFrom(day, "2024-11-02T12:00Z", 3)).toEqual([24, 25, 24]);
  });

  it("begins a day at one o'clock when midnight is skipped", () => {
    const saoPaulo = { unit: "day", timeZone: "America/Sao_Paulo" } as const;
    expect(windowAt(saoPaulo, "2018-11-04T12:00Z")).toEqual([
      "2018-11-04T03:00",
      "2018-11-05T02:00",
      23,
    ]);
    const beirut = { unit: "day", timeZone: "Asia/Beirut" } as const;
    expect(windowAt(beirut, "2022-03-27T12:00Z")).toEqual([
      "2022-03-26T22:00",
      "2022-03-27T21:00",
      23,
    ]);
  });

  it("ends a day when midnight comes to stay, if clocks go back from it", () => {
    const saoPaulo = { unit: "day", timeZone: "America/Sao_Paulo" } as const;
    const long = ["2018-02-17T02:00", "2018-02-18T03:00", 25];
    expect(windowAt(saoPaulo, "2018-02-17T12:00Z")).toEqual(long);
    expect(windowAt(saoPaulo, "2018-02-18T02:30Z")).toEqual(long);
    expect(hoursFrom({ unit: "day", timeZone: "Asia/Beirut" }, "2022-10-28T12:00Z", 3)).toEqual([
      24, 25, 24,
    ]);
  });

  it("does not return to the old date when clocks go back over midnight", () => {
    const stJohns = { unit: "day", timeZone: "America/St_Johns" } as const;
    const sunday = ["2010-11-07T02:30", "2010-11-08T03:30", 25];
    expect(windowAt(stJohns, "2010-11-07T02:30Z"), "midnight").toEqual(sunday);
    expect(windowAt(stJohns, "2010-11-07T02:31Z"), "23:01 again").toEqual(sunday);
    expect(windowAt(stJohns, "2010-11-07T12:00Z"), "the morning").toEqual(sunday);
  });

  it("makes a repeated hour a second window", () => {
    const hour = { unit: "hour", timeZone: "Europe/Berlin" } as const;
    expect(windowAt(hour, "2024-10-27T00:30Z")).toEqual([
      "2024-10-27T00:00",
      "2024-10-27T01:00",
      1,
    ]);
    expect(windowAt(hour, "2024-10-27T01:30Z")).toEqual([
      "2024-10-27T01:00",
      "2024-10-27T02:00",
      1,
    ]);
  });

  it("has hours that none is longer than, where clocks change by half an hour", () => {
    const hour = { unit: "hour", timeZone: "Australia/Lord_Howe" } as const;
    expect(hoursFrom(hour, "2024-04-06T14:00Z", 3)).toEqual([1, 0.5, 1]);
    expect(hoursFrom(hour, "2024-10-05T15:00Z", 3)).toEqual([1, 0.5, 1]);
    const day = { unit: "day", timeZone: "Australia/Lord_Howe" } as const;
    expect(hoursFrom(day, "2024-04-06T14:00Z", 2)).toEqual([24.5, 24]);
    expect(hoursFrom(day, "2024-10-05T14:00Z", 2)).toEqual([23.5, 24]);
  });

  it("ends an hour when clocks change in the middle of it", () => {
    const hour = { unit: "hour", timeZone: "America/St_Johns" } as const;
    expect(hoursFrom(hour, "2010-11-07T02:30Z", 3)).toEqual([1 / 60, 59 / 60, 1]);
    expect(hoursFrom(hour, "2010-03-14T03:30Z", 3)).toEqual([1 / 60, 59 / 60, 1]);
  });

  it("follows offsets of half and quarter hours", () => {
    expect(windowAt({ unit: "day", timeZone: "Asia/Kathmandu" }, "2024-05-05T12:00Z")).toEqual([
      "2024-05-04T18:15",
      "2024-05-05T18:15",
      24,
    ]);
    expect(windowAt({ unit: "hour", timeZone: "Asia/Kathmandu" }, "2024-05-05T12:00Z")).toEqual([
      "2024-05-05T11:15",
      "2024-05-05T12:15",
      1,
    ]);
    expect(windowAt({ unit: "hour", timeZone: "Asia/Kolkata" }, "2024-05-05T12:00Z")[0]).toBe(
      "2024-05-05T11:30",
    );
  });

  it("has no window for a date that was skipped", () => {
    const day = { unit: "day", timeZone: "Pacific/Apia" } as const;
    expect(windowAt(day, "2011-12-30T09:59Z")).toEqual([
      "2011-12-29T10:00",
      "2011-12-30T10:00",
      24,
    ]);
    expect(windowAt(day, "2011-12-30T10:00Z")).toEqual([
      "2011-12-30T10:00",
      "2011-12-31T10:00",
      24,
    ]);
    const month = { unit: "month", timeZone: "Pacific/Apia" } as const;
    expect(windowAt(month, "2011-12-15T00:00Z")).toEqual([
      "2011-12-01T10:00",
      "2011-12-31T10:00",
      30 * 24,
    ]);
  });

  it("gives windows slots of their own where an offset has seconds", () => {
    const calendar = new Calendar({ unit: "minute", timeZone: "Africa/Monrovia" });
    calendar.at(Date.UTC(1972, 0, 7, 0, 42));
    const slots = [calendar.slot];
    const seconds: number[] = [];
    for (let window = 0; window < 4; window++) {
      seconds.push((calendar.endsAtMs - calendar.startsAtMs) / 1_000);
      calendar.at(calendar.endsAtMs);
      slots.push(calendar.slot);
    }
    expect(seconds).toEqual([60, 60, 60, 30]);
    expect(new Set(slots).size).toBe(slots.length);
  });
});

describe("Calendar", () => {
  it("asks for the offset only when it leaves the window", () => {
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts");
    const calendar = new Calendar({ unit: "day", timeZone: "Africa/Maputo" });
    calendar.at(Date.UTC(2024, 0, 1, 22));
    const askedAtFirst = asked.mock.calls.length;
    expect(askedAtFirst).toBeGreaterThan(0);
    for (let ms = calendar.startsAtMs; ms < calendar.endsAtMs; ms += MINUTE) calendar.at(ms);
    calendar.at(calendar.endsAtMs - 1);
    expect(asked).toHaveBeenCalledTimes(askedAtFirst);
    calendar.at(calendar.endsAtMs);
    expect(asked.mock.calls.length).toBeGreaterThan(askedAtFirst);
    asked.mockRestore();
  });

  it("knows the week around the first day of 1970, a Thursday", () => {
    const startOf = (weekStartsOn: "thursday" | "friday" | "sunday"): string =>
      windowAt({ unit: "week", weekStartsOn }, "1970-01-01T12:00Z")[0];
    expect(startOf("thursday")).toBe("1970-01-01T00:00");
    expect(startOf("friday")).toBe("1969-12-26T00:00");
    expect(startOf("sunday")).toBe("1969-12-28T00:00");
    const newYork = { unit: "week", weekStartsOn: "sunday", timeZone: "America/New_York" } as const;
    expect(windowAt(newYork, "1970-01-01T01:00Z")[0]).toBe("1969-12-28T05:00");
  });

  it("names a window by its start in whole minutes", () => {
    const calendar = new Calendar({ unit: "day", timeZone: "America/New_York" });
    calendar.at(Date.UTC(2024, 0, 1, 12));
    expect(calendar.slot).toBe(Date.UTC(2024, 0, 1, 5) / MINUTE);
    calendar.at(0);
    expect(calendar.slot, "31 December 1969 in New York").toBe(-19 * 60);
  });

  it("stays where it is for a number that is not an instant from 1970 to 9999", () => {
    const calendar = new Calendar({ unit: "year", timeZone: "Pacific/Kiritimati" });
    calendar.at(Number.NaN);
    expect([calendar.startsAtMs, calendar.endsAtMs]).toEqual([0, 0]);
    calendar.at(Date.UTC(9999, 11, 31, 23));
    const { slot } = calendar;
    for (const wrong of [Number.NaN, Infinity, -Infinity, -DAY, 1e300]) {
      calendar.at(wrong);
      expect(calendar.slot).toBe(slot);
    }
  });
});

describe("the options of a calendar", () => {
  const create = (options: unknown) => () => new Calendar(options as CalendarOptions);

  it("start a week on a day that is spelled so, and only a week", () => {
    expect(create({ unit: "week", weekStartsOn: "mon" })).toThrow("'weekStartsOn' must be one of");
    expect(create({ unit: "day", weekStartsOn: "monday" })).toThrow(
      expect.objectContaining({ code: "TIDEGATE_OPTION_CONFLICT" }),
    );
  });

  it("refuses a time zone that does not exist, and offsets instead of names", () => {
    for (const timeZone of ["Europe/Brelin", "", "+05:30", "-0300", 7, null, "Mars/Olympus"]) {
      expect(create({ unit: "day", timeZone })).toThrow(
        expect.objectContaining({ code: "TIDEGATE_OPTION_INVALID" }),
      );
    }
    expect(create({ unit: "day", timeZone: "Europe/Brelin" })).toThrow(
      "'timeZone' must be an IANA time zone that Intl knows, such as 'Europe/Berlin' or 'UTC', " +
        'got "Europe/Brelin"',
    );
  });

  it("reads undefined as absent", () => {
    const absent = { unit: "week", timeZone: undefined, weekStartsOn: undefined } as const;
    expect(windowAt(absent, "2025-01-01T12:00Z")[0]).toBe("2024-12-30T00:00");
  });
});
