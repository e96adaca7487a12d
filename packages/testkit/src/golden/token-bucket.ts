/** A bucket of 10 that refills 10 per second and is full at 100 ms; one of 4 that is in debt. */

import type { GoldenExample, GoldenPolicy, GoldenStep } from "./golden-example.ts";

const tenPerSecond: GoldenPolicy = { kind: "tokenBucket", capacity: 10, refillPerSecond: 10 };

const firstCalls: readonly GoldenStep[] = [
  {
    atMs: 100,
    op: "peek",
    cost: 0,
    expect: { allowed: true, used: 0, remaining: 10, resetMs: 0 },
    note: "it starts full",
  },
  {
    atMs: 400,
    op: "check",
    cost: 4,
    expect: { allowed: true, used: 4, remaining: 6, resetMs: 400 },
    note: "10 tokens before, 6 after",
  },
];

function ones(atMs: number): readonly GoldenStep[] {
  return Array.from({ length: 10 }, (_, taken) => ({
    atMs,
    op: "check" as const,
    cost: 1,
    expect: { allowed: true, used: taken + 1, remaining: 9 - taken, retryAfterMs: 0 },
    note: `token ${taken + 1} of 10`,
  }));
}

export const TOKEN_BUCKET_EXAMPLES: readonly GoldenExample[] = [
  {
    name: "G1-token: 5 tokens 200 ms after the first 4 leave 3",
    policy: tenPerSecond,
    steps: [
      ...firstCalls,
      {
        atMs: 600,
        op: "check",
        cost: 5,
        expect: { allowed: true, used: 7, remaining: 3, resetMs: 700 },
        note: "2 have come back: 8 before, 3 after",
      },
      {
        atMs: 600,
        op: "check",
        cost: 4,
        expect: { allowed: false, used: 7, remaining: 3, retryAfterMs: 100 },
        note: "one token short, and one comes every 100 ms",
      },
    ],
  },
  {
    name: "G1-token: 5 tokens 400 ms after the first 4 leave 5",
    policy: tenPerSecond,
    steps: [
      ...firstCalls,
      {
        atMs: 800,
        op: "check",
        cost: 5,
        expect: { allowed: true, used: 5, remaining: 5, resetMs: 500 },
        note: "all 4 have come back: 10 before, 5 after",
      },
    ],
  },
  {
    name: "G1-token: a full bucket gives all ten tokens and not an eleventh",
    policy: tenPerSecond,
    steps: [
      ...ones(100),
      {
        atMs: 100,
        op: "check",
        cost: 1,
        expect: { allowed: false, used: 10, remaining: 0, retryAfterMs: 100, resetMs: 1_000 },
        note: "the eleventh",
      },
    ],
  },
  {
    name: "G1-token: idle time fills the bucket once and no further",
    policy: tenPerSecond,
    steps: [
      ...firstCalls,
      ...ones(60_000),
      {
        atMs: 60_000,
        op: "check",
        cost: 1,
        expect: { allowed: false, used: 10, remaining: 0, retryAfterMs: 100 },
        note: "a minute of refill is not credited again",
      },
    ],
  },
  {
    name: "G1-token: a cost above the capacity never passes",
    policy: tenPerSecond,
    steps: [
      {
        atMs: 100,
        op: "check",
        cost: 11,
        expect: { allowed: false, used: 0, remaining: 10, retryAfterMs: Infinity, resetMs: 0 },
        note: "and leaves no mark",
      },
    ],
  },
  {
    name: "G1-token: a cost equal to the tokens left passes",
    policy: tenPerSecond,
    steps: [
      {
        atMs: 100,
        op: "check",
        cost: 10,
        expect: { allowed: true, used: 10, remaining: 0 },
        note: "all there are",
      },
      {
        atMs: 600,
        op: "check",
        cost: 5,
        expect: { allowed: true, used: 10, remaining: 0 },
        note: "the 5 that came back in 500 ms",
      },
    ],
  },
  {
    name: "G1-three-hosts: 12 spent of 4 are paid back in 2.25 s",
    policy: { kind: "tokenBucket", capacity: 4, refillPerSecond: 4 },
    steps: [
      {
        atMs: 0,
        op: "charge",
        cost: 12,
        expect: { used: 12, remaining: 0, resetMs: 3_000 },
        note: "three hosts that could not talk let in 4 each: -8 tokens",
      },
      {
        atMs: 0,
        op: "check",
        cost: 1,
        expect: { allowed: false, used: 12, remaining: 0, retryAfterMs: 2_250 },
        note: "9 tokens have to come back, 4 a second",
      },
      {
        atMs: 2_249,
        op: "check",
        cost: 1,
        expect: { allowed: false, used: 4, remaining: 0, retryAfterMs: 1 },
        note: "a millisecond too early",
      },
      {
        atMs: 2_250,
        op: "check",
        cost: 1,
        expect: { allowed: true, used: 4, remaining: 0 },
        note: "the debt is paid",
      },
    ],
  },
];
