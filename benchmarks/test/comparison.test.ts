import { describe, expect, it } from "vitest";
import { Comparison, markOf } from "../src/against/comparison.ts";
import type { SharedCheckRecord } from "../src/scenarios/sync/shared-check.ts";

const [ALONE, SHARED] = ["a check of a limiter that is alone", "a check in a cluster"];

function checks(sharedNs: number): SharedCheckRecord[] {
  return [{ kind: "sharedCheck", aloneNs: 100, sharedNs }];
}

/** A comparison whose starts measured these times, now and with the other commit. */
function comparisonOf(...starts: (readonly [now: number, other: number])[]): Comparison {
  const comparison = new Comparison();
  for (const [now, other] of starts) comparison.add({ now: checks(now), other: checks(other) });
  return comparison;
}

describe("a comparison", () => {
  it("takes the ratio within each start, and the median of these", () => {
    // The machine became three times as slow, and so did both builds.
    const { costs } = comparisonOf([110, 100], [330, 300], [115, 100]);
    expect(costs[0]).toMatchObject({ what: ALONE, starts: 3, now: 100, other: 100, ratio: 1 });
    expect(costs[1]).toMatchObject({ what: SHARED, unit: "ns", now: 115, other: 100 });
    expect(costs[1]!.ratio).toBeCloseTo(1.1, 10);
    expect(costs[1]!.spread).toBeCloseTo(0.0125 / 1.1, 10);
    expect(costs.map(({ mark }) => mark)).toEqual(["", "SLOWER"]);
  });

  it("judges nothing by fewer than three starts", () => {
    const { costs } = comparisonOf([200, 100], [200, 100]);
    expect(costs[1]).toMatchObject({ ratio: 2, mark: "" });
    expect(costs[1]).not.toHaveProperty("spread");
  });

  it("names what the other commit has no figure of, once, and compares the rest", () => {
    const { costs, incomparable } = comparisonOf([110, NaN], [110, NaN]);
    expect(costs.map(({ what }) => what)).toEqual([ALONE]);
    expect(incomparable).toEqual([
      { what: SHARED, reason: "the other commit has no figure of it" },
    ]);
  });

  it("fails where this tree has no figure", () => {
    expect(() => comparisonOf([NaN, 100])).toThrow("this tree has no figure");
  });
});

describe("a mark", () => {
  it("needs a difference of a twentieth beyond the spread", () => {
    const marksWith = (spread: number): string[] =>
      [1.04, 1.07, 1.2, 0.96, 0.93, 0.8].map((ratio) => markOf("ms", ratio, spread));
    expect(marksWith(0.01)).toEqual(["", "SLOWER", "SLOWER", "", "FASTER", "FASTER"]);
    expect(marksWith(0.1)).toEqual(["", "", "SLOWER", "", "", "FASTER"]);
  });

  it("of what is no time says that it is more or less", () => {
    expect([1.2, 0.8].map((ratio) => markOf("frames", ratio, 0))).toEqual(["MORE", "LESS"]);
  });
});
