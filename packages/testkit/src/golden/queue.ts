/** A leaky bucket, with and without a queue, and a log of two in ten seconds. */

import type { GoldenExample, GoldenStep } from "./golden-example.ts";

function pass(atMs: number, used: number, remaining: number, note: string): GoldenStep {
  const expect = { allowed: true, used, remaining, retryAfterMs: 0 };
  return { atMs, op: "check", cost: 1, expect, note };
}

function refuse(atMs: number, used: number, retryAfterMs: number, note: string): GoldenStep {
  const expect = { allowed: false, used, remaining: 0, retryAfterMs, waitMs: 0 };
  return { atMs, op: "check", cost: 1, expect, note };
}

function wait(waitMs: number, used: number, note: string): GoldenStep {
  const expect = { allowed: true, used, remaining: 0, retryAfterMs: 0, waitMs };
  return { atMs: 0, op: "check", cost: 1, expect, note };
}

export const QUEUE_EXAMPLES: readonly GoldenExample[] = [
  {
    name: "G1-leaky: three enter, four spill, and one enters when one has been processed",
    policy: { kind: "leakyBucket", capacity: 3, leakPerSecond: 1 },
    steps: [
      pass(0, 1, 2, "request 1"),
      pass(0, 2, 1, "request 2"),
      pass(0, 3, 0, "request 3"),
      refuse(0, 3, 1_000, "request 4"),
      refuse(300, 3, 700, "request 5: 2.7 are left, which is no free period"),
      refuse(600, 3, 400, "request 6"),
      refuse(999, 3, 1, "request 7"),
      pass(1_000, 3, 0, "request 8: one has been processed"),
    ],
  },
  {
    name: "G1-leaky: with a queue, requests wait their turn up to the longest wait",
    policy: { kind: "leakyBucket", capacity: 1, leakPerSecond: 10, maxWaitMs: 300 },
    steps: [
      wait(0, 1, "the first goes at once"),
      wait(100, 2, "and then one goes every 100 ms"),
      wait(200, 3, "the third"),
      wait(300, 4, "the fourth waits as long as may be"),
      refuse(0, 4, 100, "the fifth would wait 400 ms"),
      refuse(99, 4, 1, "a millisecond too early"),
    ],
  },
  {
    name: "G2-log: a refused hit is not stored, and one aged exactly 10 s is gone",
    policy: { kind: "slidingLog", limit: 2, windowMs: 10_000 },
    steps: [
      pass(0, 1, 1, "0 s"),
      pass(3_000, 2, 0, "3 s"),
      refuse(9_000, 2, 1_000, "9 s: 2 counted"),
      pass(10_000, 2, 0, "10 s: the hit at 0 s is gone"),
      refuse(12_000, 2, 1_000, "12 s: the hits at 3 s and 10 s"),
      pass(13_000, 2, 0, "13 s"),
    ],
  },
];
