/** The sliding log and the sliding window, at the instants where a hit fades or expires. */

import { type GoldenExample, type GoldenStep, timeOfDay } from "./golden-example.ts";

/** A limit of 10 a minute, filled by 11:01:20. */
function filled(retryAfterMs: number): readonly GoldenStep[] {
  const arrivals: readonly (readonly [time: string, cost: number])[] = [
    ["11:01:01", 1],
    ["11:01:01", 1],
    ["11:01:15", 4],
    ["11:01:20", 1],
    ["11:01:20", 1],
    ["11:01:20", 1],
    ["11:01:20", 1],
  ];
  let used = 0;
  const steps = arrivals.map(([time, cost]): GoldenStep => {
    used += cost;
    const expect = { allowed: true, used, remaining: 10 - used, retryAfterMs: 0 };
    return { atMs: timeOfDay(time), op: "check", cost, expect, note: `${used} counted` };
  });
  return [
    ...steps,
    {
      atMs: timeOfDay("11:01:20"),
      op: "check",
      cost: 1,
      expect: { allowed: false, used: 10, remaining: 0, retryAfterMs },
      note: "the fifth at 11:01:20 is one too many",
    },
  ];
}

function look(time: string, used: number, remaining: number, note: string): GoldenStep {
  return { atMs: timeOfDay(time), op: "peek", cost: 0, expect: { used, remaining }, note };
}

export const SLIDING_EXAMPLES: readonly GoldenExample[] = [
  {
    name: "G1-sliding: a hit that is exactly a minute old has left the log",
    policy: { kind: "slidingLog", limit: 10, windowMs: 60_000 },
    steps: [
      ...filled(41_000),
      look("11:02:00.999", 10, 0, "both hits of 11:01:01 are still there"),
      look("11:02:01", 8, 2, "and gone at the age of exactly 60 s"),
    ],
  },
  {
    name: "G1-sliding: at 11:01:15 the log drops what came at or before 11:00:15",
    policy: { kind: "slidingLog", limit: 10, windowMs: 60_000 },
    steps: [
      {
        atMs: timeOfDay("11:00:15"),
        op: "check",
        cost: 1,
        expect: { allowed: true, used: 1 },
        note: "at the cut-off",
      },
      {
        atMs: timeOfDay("11:00:15.001"),
        op: "check",
        cost: 1,
        expect: { allowed: true, used: 2 },
        note: "a millisecond after it",
      },
      look("11:01:15", 1, 9, "only the later one is left"),
    ],
  },
  {
    name: "G1-sliding: slots of a second fade over the second in which the log would drop them",
    policy: { kind: "slidingWindow", limit: 10, windowMs: 60_000, slots: 60 },
    steps: [
      ...filled(41_500),
      look("11:02:01", 10, 0, "the slot of 11:01:01 trails, still in full"),
      look("11:02:01.500", 9, 1, "half of its 2 hits are left"),
      look("11:02:01.750", 9, 1, "8.5: used is rounded up, remaining down"),
      look("11:02:02", 8, 2, "and it is gone"),
    ],
  },
  {
    name: "Cloudflare: 42 before and 18 in 15 s are 49.5 of 50",
    policy: { kind: "slidingWindow", limit: 50, windowMs: 60_000, slots: 1 },
    steps: [
      {
        atMs: 0,
        op: "check",
        cost: 42,
        expect: { allowed: true, used: 42, remaining: 8 },
        note: "the minute before",
      },
      {
        atMs: 75_000,
        op: "check",
        cost: 18,
        expect: { allowed: true, used: 50, remaining: 0 },
        note: "42 x 45/60 + 18 = 49.5",
      },
      {
        atMs: 75_000,
        op: "check",
        cost: 1,
        expect: { allowed: false, used: 50, remaining: 0, retryAfterMs: 715 },
        note: "50.5; half a hit fades in 0.5/42 of a minute, 714.3 ms",
      },
      {
        atMs: 75_714,
        op: "check",
        cost: 1,
        expect: { allowed: false, retryAfterMs: 1 },
        note: "49.0002 + 1",
      },
      {
        atMs: 75_715,
        op: "check",
        cost: 1,
        expect: { allowed: true, used: 50, remaining: 0 },
        note: "48.9995 + 1",
      },
    ],
  },
];
