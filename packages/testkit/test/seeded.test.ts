import { describe, expect, it } from "vitest";
import { seededRandom, seededRuns } from "../src/index.ts";

describe("seededRandom", () => {
  it("repeats itself for one seed and differs for another", () => {
    const draw = (seed: number): number[] => Array.from({ length: 5 }, seededRandom(seed));
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(1)).not.toEqual(draw(1 + 2 ** 32));
  });

  it("spreads evenly over the numbers from 0 up to 1", () => {
    const random = seededRandom(7);
    const tenths = new Array<number>(10).fill(0);
    for (let drawn = 0; drawn < 100_000; drawn++) tenths[Math.floor(random() * 10)]! += 1;
    for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});

describe("seededRuns", () => {
  it("makes the usual runs, always from one seed, by default", () => {
    const usual = seededRuns(100, {});
    expect(usual).toEqual({ numRuns: 100, seed: expect.any(Number) });
    expect(seededRuns(100, { TIDEGATE_TEST_SCALE: "" })).toEqual(usual);
  });

  it("scales the number of runs, to one at least", () => {
    expect(seededRuns(100, { TIDEGATE_TEST_SCALE: "10" })).toEqual({ numRuns: 1_000 });
    expect(seededRuns(100, { TIDEGATE_TEST_SCALE: "0.001" })).toEqual({ numRuns: 1 });
  });

  it("replays from one number", () => {
    expect(seededRuns(5, { TIDEGATE_TEST_SEED: "-42" })).toEqual({ numRuns: 5, seed: -42 });
  });

  it("replays one case from a number and its path", () => {
    const env = { TIDEGATE_TEST_SEED: "-42:3:0:1" };
    expect(seededRuns(5, env)).toEqual({ numRuns: 5, seed: -42, path: "3:0:1" });
  });

  it("refuses a value that is no number", () => {
    expect(() => seededRuns(5, { TIDEGATE_TEST_SEED: "7:a" })).toThrow(RangeError);
    expect(() => seededRuns(5, { TIDEGATE_TEST_SCALE: "many" })).toThrow(RangeError);
    expect(() => seededRuns(5, { TIDEGATE_TEST_SCALE: "0" })).toThrow(RangeError);
    expect(() => seededRuns(5, { TIDEGATE_TEST_SEED: "0.5" })).toThrow(RangeError);
  });
});
