/** A limit of 5 per minute with seven requests, under each kind of window. */

import {
  type GoldenExample,
  type GoldenPolicy,
  type GoldenStep,
  timeOfDay,
} from "./golden-example.ts";

const anchored: GoldenPolicy = { kind: "fixedWindow", limit: 5, windowMs: 60_000 };
const calendar: GoldenPolicy = { kind: "fixedWindow", limit: 5, calendar: "minute" };

/** Five allowed hits, the first of them at `first`. */
function five(first: string): readonly GoldenStep[] {
  return [first, "11:01:30", "11:01:45", "11:01:46", "11:01:55"].map((time, before) => ({
    atMs: timeOfDay(time),
    op: "check" as const,
    cost: 1,
    expect: { allowed: true, used: before + 1, remaining: 4 - before, retryAfterMs: 0 },
    note: `row ${before + 1}: ${before} counted before`,
  }));
}

function refused(time: string, retryAfterMs: number, note: string): GoldenStep {
  return {
    atMs: timeOfDay(time),
    op: "check",
    cost: 1,
    expect: { allowed: false, used: 5, remaining: 0, retryAfterMs },
    note,
  };
}

function admitted(time: string, used: number, note: string): GoldenStep {
  return {
    atMs: timeOfDay(time),
    op: "check",
    cost: 1,
    expect: { allowed: true, used, remaining: 5 - used, retryAfterMs: 0 },
    note,
  };
}

export const MINUTE_EXAMPLES: readonly GoldenExample[] = [
  {
    name: "G1-minute: a fixed window starts afresh a minute after its first hit",
    policy: anchored,
    steps: [
      ...five("11:01:00"),
      refused("11:01:59", 1_000, "row 6: the window ends at 11:02:00"),
      admitted("11:02:03", 1, "row 7: a new window"),
    ],
  },
  {
    name: "G1-minute: a window of the calendar starts afresh with the minute",
    policy: calendar,
    steps: [
      ...five("11:01:00"),
      refused("11:01:59", 1_000, "row 6: the minute ends at 11:02:00"),
      admitted("11:02:03", 1, "row 7: a new minute"),
    ],
  },
  {
    name: "G1-minute: a fixed window first hit at 11:01:20 ends at 11:02:20",
    policy: anchored,
    steps: [
      ...five("11:01:20"),
      refused("11:01:59", 21_000, "21 s before the end"),
      refused("11:02:00", 20_000, "a new minute is no new window"),
      refused("11:02:19.999", 1, "the last millisecond"),
      admitted("11:02:20", 1, "the end belongs to the next window"),
    ],
  },
  {
    name: "G1-minute: a calendar minute first hit at 11:01:20 ends at 11:02:00",
    policy: calendar,
    steps: [
      ...five("11:01:20"),
      refused("11:01:59", 1_000, "the minute ends at 11:02:00"),
      admitted("11:02:00", 1, "a new minute"),
    ],
  },
  {
    name: "G1-minute: a sliding log frees one place when its oldest hit is a minute old",
    policy: { kind: "slidingLog", limit: 5, windowMs: 60_000 },
    steps: [
      ...five("11:01:00"),
      refused("11:01:59", 1_000, "row 6: the oldest leaves at 11:02:00"),
      admitted("11:02:03", 5, "row 7: 4 counted before"),
    ],
  },
  {
    name: "G1-minute: two slots estimate 4.75 at 11:02:03 and refuse until 11:02:12",
    policy: { kind: "slidingWindow", limit: 5, windowMs: 60_000, slots: 1 },
    steps: [
      ...five("11:01:00"),
      refused("11:01:59", 13_000, "row 6: 5 x 48/60 = 4 at 11:02:12"),
      refused("11:02:03", 9_000, "row 7: 5 x 57/60 = 4.75"),
      refused("11:02:11.999", 1, "5 x 48.001/60 is just above 4"),
      admitted("11:02:12", 5, "5 x 48/60 = 4"),
    ],
  },
];
