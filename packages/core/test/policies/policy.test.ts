import { describe, expect, it } from "vitest";
import {
  concurrency,
  type FixedWindowOptions,
  fixedWindow,
  leakyBucket,
  MINUTE,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import { ODD_VALUES, outcome } from "../limiter/odd-values.ts";

// biome-ignore lint/suspicious/noExplicitAny: what is tested is what the types forbid.
type Anything = any;

const MADE: Readonly<Record<Policy["kind"], (more: Anything) => Policy>> = {
  fixedWindow: (more) => fixedWindow({ limit: 1, windowMs: 10, ...more }),
  slidingWindow: (more) => slidingWindow({ limit: 1, windowMs: 10, ...more }),
  slidingLog: (more) => slidingLog({ limit: 1, windowMs: 10, ...more }),
  tokenBucket: (more) => tokenBucket({ capacity: 1, refillPerSecond: 1, ...more }),
  leakyBucket: (more) => leakyBucket({ capacity: 1, leakPerSecond: 1, ...more }),
  concurrency: (more) => concurrency({ limit: 1, ...more }),
};
const MAKERS: Readonly<Record<Policy["kind"], (options: Anything) => Policy>> = {
  fixedWindow,
  slidingWindow,
  slidingLog,
  tokenBucket,
  leakyBucket,
  concurrency,
};

describe.each(Object.keys(MADE) as Policy["kind"][])("%s", (kind) => {
  const make = MADE[kind];
  const maker = MAKERS[kind];

  it("is named by its kind when it has no name", () => {
    expect(make({ name: undefined }).name).toBe(kind);
  });

  it("takes a name of up to 128 characters", () => {
    expect(make({ name: "n".repeat(128) }).name).toHaveLength(128);
    expect(outcome(() => make({ name: "n".repeat(129) }))).toBe("TIDEGATE_OPTION_INVALID");
  });

  it("refuses a name with a control character", () => {
    expect(outcome(() => make({ name: "two\nlines" }))).toBe("TIDEGATE_OPTION_INVALID");
  });

  it("accepts only a string that is not empty as a name", () => {
    for (const [title, name] of ODD_VALUES) {
      const expected = title === "a numeral" ? "5" : "TIDEGATE_OPTION_INVALID";
      expect(outcome(() => make({ name }).name)).toBe(expected);
    }
  });

  it("refuses an option that it does not know", () => {
    expect(outcome(() => make({ limits: 5 }))).toBe("TIDEGATE_OPTION_UNKNOWN");
  });

  it("refuses what is not an options object", () => {
    for (const options of [undefined, null, 5, "5", [], () => 1]) {
      expect(outcome(() => maker(options))).toBe("TIDEGATE_OPTION_INVALID");
    }
  });

  it("is missing something when given no options", () => {
    expect(outcome(() => maker({}))).toBe("TIDEGATE_OPTION_MISSING");
  });

  it("is frozen", () => {
    expect(Object.isFrozen(make({}))).toBe(true);
  });
});

describe("options of a fixed window", () => {
  const CONFLICTS: readonly [string, FixedWindowOptions][] = [
    ["windowMs and calendar", { limit: 1, windowMs: 10, calendar: "day" }],
    ["align and calendar", { limit: 1, align: true, calendar: "day" }],
    ["timeZone without calendar", { limit: 1, windowMs: 10, timeZone: "UTC" }],
    ["weekStartsOn without calendar", { limit: 1, windowMs: 10, weekStartsOn: "sunday" }],
    ["weekStartsOn with a day", { limit: 1, calendar: "day", weekStartsOn: "sunday" }],
    ["restart and backoff", { limit: 1, windowMs: 10, restart: true, backoff: true }],
  ];
  it.each(CONFLICTS)("exclude %s", (_, options) => {
    expect(outcome(() => fixedWindow(options))).toBe("TIDEGATE_OPTION_CONFLICT");
  });

  it("name the calendar in the message about it", () => {
    const calendar = "days" as "day";
    expect(() => fixedWindow({ limit: 1, calendar })).toThrow(/^'calendar' must be one of/);
  });

  it("leave the objects of the caller as they were", () => {
    const options = Object.freeze({
      limit: 1,
      windowMs: 10,
      ban: Object.freeze({ after: 1, forMs: 1 }),
    });
    expect(fixedWindow(options).ban).toEqual({ after: 1, forMs: 1 });
  });

  it("make a calendar's windowMs the longest that such a window can be", () => {
    expect(fixedWindow({ limit: 1, calendar: "month" }).windowMs).toBe(31 * 24 * 60 * MINUTE);
  });
});

describe("slots of a sliding window", () => {
  it("are 12, or the largest number below that divides the window", () => {
    expect(slidingWindow({ limit: 1, windowMs: MINUTE }).slots).toBe(12);
    expect(slidingWindow({ limit: 1, windowMs: 1_000 }).slots).toBe(10);
    expect(slidingWindow({ limit: 1, windowMs: 13 }).slots).toBe(1);
  });
});

describe("a message about an infinite limit", () => {
  it("suggests an alternative where a large limit is allowed", () => {
    const limit = Number.POSITIVE_INFINITY;
    expect(() => fixedWindow({ limit, windowMs: 1 })).toThrow(/use Number\.MAX_SAFE_INTEGER/);
    expect(() => slidingLog({ limit, windowMs: 1 })).not.toThrow(/MAX_SAFE_INTEGER/);
  });
});
