import { describe, expect, it } from "vitest";
import { quantile, summarize } from "../src/measure/statistics.ts";

describe("quantile", () => {
  it("is the middle sample of an odd number, whatever their order", () => {
    expect(quantile([9, 1, 5], 0.5)).toBe(5);
  });

  it("lies between the two middle samples of an even number", () => {
    expect(quantile([4, 1, 2, 100], 0.5)).toBe(3);
  });

  it("reaches from the least to the greatest", () => {
    expect([quantile([3, 1, 2], 0), quantile([3, 1, 2], 1)]).toEqual([1, 3]);
  });

  it("does not exist for no samples", () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });
});

describe("summarize", () => {
  it("is not moved by one disturbed round", () => {
    expect(summarize([100, 101, 99, 100, 5_000]).median).toBe(100);
  });

  it("gives half the distance between the quartiles as a share of the median", () => {
    expect(summarize([90, 95, 100, 105, 110])).toEqual({ median: 100, spread: 0.05 });
  });
});
