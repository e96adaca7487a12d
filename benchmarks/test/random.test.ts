import { describe, expect, it } from "vitest";
import { seededRandom, shuffled } from "../src/measure/random.ts";

describe("seededRandom", () => {
  it("repeats itself for the same seed and not for another", () => {
    const draws = (seed: number): number[] => Array.from({ length: 5 }, seededRandom(seed));
    expect(draws(1)).toEqual(draws(1));
    expect(draws(1)).not.toEqual(draws(2));
  });

  it("spreads over the numbers from 0 up to 1", () => {
    const draws = Array.from({ length: 10_000 }, seededRandom(3));
    const mean = draws.reduce((sum, draw) => sum + draw) / draws.length;
    expect(mean).toBeCloseTo(0.5, 1);
    expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
  });
});

describe("shuffled", () => {
  it("holds every number once, out of order", () => {
    const order = shuffled(1_000, seededRandom(1));
    const ascending = Array.from({ length: 1_000 }, (_, number) => number);
    expect([...order]).not.toEqual(ascending);
    expect([...order].sort((left, right) => left - right)).toEqual(ascending);
  });
});
