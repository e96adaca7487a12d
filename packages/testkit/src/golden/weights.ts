/**
 * The weight of a trailing slot, and a hundred requests that must all be allowed within two slots.
 */

import type { GoldenExample, GoldenStep } from "./golden-example.ts";

function look(atMs: number, used: number, remaining: number, note: string): GoldenStep {
  return { atMs, op: "peek", cost: 0, expect: { used, remaining }, note };
}

const hundredInTenSeconds: readonly GoldenStep[] = Array.from({ length: 100 }, (_, before) => ({
  atMs: before * 100,
  op: "check" as const,
  cost: 1,
  expect: { allowed: true, used: before + 1, remaining: 99 - before },
  note: `request ${before + 1} of 100`,
}));

export const WEIGHT_EXAMPLES: readonly GoldenExample[] = [
  {
    name: "G4-weights: of a single slot, what is left of the minute before counts",
    policy: { kind: "slidingWindow", limit: 100, windowMs: 60_000, slots: 1 },
    steps: [
      {
        atMs: 10_000,
        op: "check",
        cost: 40,
        expect: { allowed: true, used: 40, remaining: 60 },
        note: "the minute before",
      },
      {
        atMs: 60_000,
        op: "check",
        cost: 10,
        expect: { allowed: true, used: 50, remaining: 50 },
        note: "the current minute",
      },
      look(90_000, 30, 70, "30 s in: 10 + 0.5 x 40"),
      look(105_000, 20, 80, "45 s in: 10 + 0.25 x 40"),
      look(120_000, 10, 90, "the next minute: 1 x 10"),
    ],
  },
  {
    name: "G4-weights: of twelve slots, 8 trailing hits weigh 4.8 two seconds into a slot",
    policy: { kind: "slidingWindow", limit: 100, windowMs: 60_000, slots: 12 },
    steps: [
      {
        atMs: 4_999,
        op: "check",
        cost: 8,
        expect: { allowed: true, used: 8, remaining: 92 },
        note: "the end of the first slot",
      },
      look(59_999, 8, 92, "it still counts in full"),
      look(60_000, 8, 92, "it trails, nothing of it faded yet"),
      look(62_000, 5, 95, "8 x 3/5 = 4.8"),
      look(64_999, 1, 99, "8 x 0.001/5 is more than nothing"),
      look(65_000, 0, 100, "and it is gone"),
    ],
  },
  {
    name: "G4-scenario: 100 in two slots all pass, the next waits until they fade",
    policy: { kind: "slidingWindow", limit: 100, windowMs: 60_000, slots: 12 },
    steps: [
      ...hundredInTenSeconds,
      {
        atMs: 15_000,
        op: "check",
        cost: 1,
        expect: { allowed: false, used: 100, remaining: 0, retryAfterMs: 45_100 },
        note: "one of the first slot's 50 has faded at 60.1 s",
      },
      {
        atMs: 75_000,
        op: "check",
        cost: 1,
        expect: { allowed: true, used: 1, remaining: 99 },
        note: "a whole window later",
      },
    ],
  },
];
