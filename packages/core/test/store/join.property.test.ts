/**
 * The laws of joining, on the real store: the order of components, how often they arrive and in which
 * pieces makes no difference to what is known.
 */

import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  concurrency,
  fixedWindow,
  type Policy,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from "../../src/index.ts";
import type { Carried } from "./fleet.ts";
import { CLOCKS_MS, deeds, KEYS, listener, tell, visible } from "./writers.ts";

const WINDOW_MS = 8_000;

interface Case {
  readonly name: string;
  readonly policies: readonly Policy[];
  readonly lifeMs: number;
}

const cases: readonly Case[] = [
  {
    name: "first-hit windows",
    policies: [fixedWindow({ limit: 9, windowMs: WINDOW_MS })],
    lifeMs: WINDOW_MS,
  },
  {
    name: "aligned windows",
    policies: [fixedWindow({ limit: 9, windowMs: WINDOW_MS, align: true })],
    lifeMs: WINDOW_MS,
  },
  {
    name: "sliding windows",
    policies: [slidingWindow({ limit: 9, windowMs: WINDOW_MS, slots: 8 })],
    lifeMs: WINDOW_MS,
  },
  {
    name: "buckets",
    policies: [tokenBucket({ capacity: 20, refillPerSecond: 10 })],
    lifeMs: 3_000,
  },
  { name: "gauges", policies: [concurrency({ limit: 9 })], lifeMs: WINDOW_MS },
  {
    name: "logs",
    policies: [slidingLog({ limit: 9, windowMs: WINDOW_MS })],
    lifeMs: WINDOW_MS,
  },
];

const everything = deeds("refund", "release", "reset", "resetAll", "evict");

/** A window that is over by itself counts or not by whether a newer one is known to end it later. */
function isLive({ name, lifeMs }: Case, { period, opener }: Carried, endMs: number): boolean {
  if (name !== "first-hit windows") return true;
  const clockMs = CLOCKS_MS[Number(opener.at(-1))]!;
  return period - clockMs + lifeMs > endMs;
}

for (const given of cases) {
  const { name, policies, lifeMs } = given;
  const known = (parts: readonly Carried[], endMs: number): number[][] => {
    const member = listener(policies, endMs);
    member.joinAll(parts);
    return visible(member, endMs, lifeMs);
  };
  const told = (story: Parameters<typeof tell>[2]) => {
    const { snapshots, deltas, endMs, writers } = tell(policies, lifeMs, story);
    const live = (part: Carried): boolean => isLive(given, part, endMs);
    const whole = snapshots.flat().filter(live);
    return { whole, deltas: deltas.flat().filter(live), endMs, writers };
  };

  describe(`joining ${name}`, () => {
    it("is commutative and associative: the order of components makes no difference", () => {
      fc.assert(
        fc.property(everything, fc.infiniteStream(fc.nat()), (story, numbers) => {
          const { whole, endMs } = told(story);
          const shuffled = whole
            .map((part) => ({ part, rank: numbers.next().value as number }))
            .sort((left, right) => left.rank - right.rank)
            .map(({ part }) => part);
          expect(known(shuffled, endMs)).toEqual(known(whole, endMs));
        }),
        seededRuns(30),
      );
    });

    it("is idempotent: merging a repeated or stale component changes nothing", () => {
      fc.assert(
        fc.property(everything, fc.nat(), (story, start) => {
          const { whole, endMs } = told(story);
          const member = listener(policies, endMs);
          member.joinAll(whole);
          const before = KEYS.map((key) => member.view(key));
          const again = whole.slice(start % (whole.length + 1)).reverse();
          expect(again.filter((part) => member.join(part))).toEqual([]);
          expect(KEYS.map((key) => member.view(key))).toEqual(before);
          expect(visible(member, endMs, lifeMs)).toEqual(known(whole, endMs));
        }),
        seededRuns(30),
      );
    });

    it("gives the same state from the changes as from everything", () => {
      fc.assert(
        fc.property(everything, (story) => {
          const { whole, deltas, endMs } = told(story);
          expect(known(deltas, endMs)).toEqual(known(whole, endMs));
        }),
        seededRuns(30),
      );
    });

    it("is monotone: without refunds and resets, a merge never lowers a count", () => {
      fc.assert(
        fc.property(deeds("evict"), fc.boolean(), (story, reversed) => {
          const { whole, endMs } = told(story);
          const member = listener(policies, endMs);
          for (const part of reversed ? [...whole].reverse() : whole) {
            const before = member.held(part.low);
            const isNew = member.join(part);
            const after = member.held(part.low);
            // A log learns from its base that hits it thought late were early, and have left.
            if (name !== "logs") expect(after).toBeGreaterThanOrEqual(before);
            if (!isNew) expect(after).toBe(before);
          }
        }),
        seededRuns(30),
      );
    });
  });
}
