import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TIME_LIST_WORDS, TimeLists } from "../../../../src/store/shapes/log/time-list.ts";
import { RecordPool } from "../../../../src/store/table/record-pool.ts";

const START_MS = 1_790_000_000_000;

/** A replica's running total at some of its times, merged in any order, and a cutoff that moves on. */
interface Story {
  readonly steps: readonly number[];
  readonly told: readonly { readonly point: number; readonly cutoff: number }[];
  readonly firstTotal: number;
}

const story: fc.Arbitrary<Story> = fc.record({
  steps: fc.array(fc.constantFrom(2, 4, 18), { minLength: 1, maxLength: 30 }),
  told: fc.array(fc.record({ point: fc.nat(29), cutoff: fc.nat(12) }), { maxLength: 60 }),
  // Odd, because a base of exactly 2^32 hits reads as no base at all.
  firstTotal: fc.constantFrom(0, 2 ** 31 - 11, 2 ** 32 - 11),
});

describe("TimeLists", () => {
  it("agree with a naive list of points, for any points in any order", () => {
    fc.assert(
      fc.property(story, ({ steps, told, firstTotal }) => {
        const owners = new RecordPool(TIME_LIST_WORDS + 1);
        const owner = owners.allocate();
        const lists = new TimeLists(owners, 1);
        let total = firstTotal;
        const points = steps.map((step, index) => {
          total += step;
          return { time: START_MS + 3 * index, total };
        });
        // Everything is counted from the total at the start.
        lists.learn(owner, START_MS - 1, firstTotal, START_MS - 1);
        const known = new Map<number, number>();
        let cutoff = START_MS - 1;
        for (const { point, cutoff: moves } of told) {
          if (moves > 8) cutoff += moves - 8;
          lists.expire(owner, cutoff);
          const { time, total: at } = points[point % points.length]!;
          lists.learn(owner, time, at, cutoff);
          known.set(time, at);

          const sorted = [...known].sort(([left], [right]) => left - right);
          const left = sorted.filter(([at]) => at <= cutoff).map(([, sum]) => sum);
          const base = Math.max(firstTotal, ...left);
          const inside = sorted.filter(([at]) => at > cutoff);
          const last = inside.at(-1)?.[1] ?? base;
          const walked: number[][] = [];
          lists.walk(owner, (at, sum) => walked.push([at, (sum - firstTotal) | 0]) > 0);
          expect(walked).toEqual(inside.map(([at, sum]) => [at, sum - firstTotal]));
          expect(lists.live(owner)).toBe(last - base);
          expect(lists.oldest(owner)).toBe(inside[0]?.[0] ?? Number.POSITIVE_INFINITY);
          expect(lists.newest(owner)).toBe(inside.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY);
        }
      }),
      seededRuns(150),
    );
  });

  it("report that a known point, or one older than the base, is not new", () => {
    const owners = new RecordPool(TIME_LIST_WORDS);
    const owner = owners.allocate();
    const lists = new TimeLists(owners, 0);
    const isNew = [5, 5, 4, 7].map((total) => lists.learn(owner, START_MS, total, 0));
    expect(isNew).toEqual([true, false, false, true]);
    lists.expire(owner, START_MS);
    expect([lists.learn(owner, START_MS - 5, 6, START_MS)]).toEqual([false]);
    expect([lists.base(owner), lists.total(owner), lists.live(owner)]).toEqual([7, 7, 0]);
  });

  it("free all their blocks", () => {
    const owners = new RecordPool(TIME_LIST_WORDS);
    const owner = owners.allocate();
    const lists = new TimeLists(owners, 0);
    for (let time = 1; time <= 100; time++) lists.learn(owner, time, time, 0);
    lists.clear(owner);
    expect([lists.live(owner), lists.base(owner), lists.total(owner)]).toEqual([0, 0, 0]);
    lists.learn(owner, 5, 3, 0);
    expect(lists.live(owner)).toBe(3);
  });
});
