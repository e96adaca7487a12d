import { describe, expect, it } from "vitest";
import { type Distribution, uniform, zipf } from "../src/measure/distribution.ts";
import { seededRandom } from "../src/measure/random.ts";

const KEYS = 1_000;
const DRAWS = 100_000;

function drawnFrom(distribution: Distribution, draws = DRAWS): number[] {
  const random = seededRandom(1);
  const times = Array.from({ length: KEYS }, () => 0);
  for (let draw = 0; draw < draws; draw++) times[distribution.draw(random)]! += 1;
  return times;
}

describe("uniform", () => {
  it("asks for every key about equally often", () => {
    const times = drawnFrom(uniform(KEYS));
    expect(Math.min(...times)).toBeGreaterThan(50);
    expect(Math.max(...times)).toBeLessThan(150);
  });

  it("asks for the one key there is", () => {
    const distribution = uniform(1);
    expect([distribution.draw(() => 0), distribution.draw(() => 1 - Number.EPSILON)]).toEqual([
      0, 0,
    ]);
    expect(distribution.expectedDistinct(10)).toBe(1);
  });
});

describe("zipf", () => {
  const times = drawnFrom(zipf(KEYS, 1));
  const harmonic = Array.from({ length: KEYS }, (_, rank) => 1 / (rank + 1)).reduce(
    (sum, share) => sum + share,
  );

  it.each([1, 2, 5, 10, 100])("asks for rank %i in proportion to its inverse", (rank) => {
    const expected = DRAWS / rank / harmonic;
    expect(Math.abs(times[rank - 1]! - expected)).toBeLessThan(5 * Math.sqrt(expected));
  });

  it("can reach the last key", () => {
    expect(zipf(3, 1).draw(() => 1 - Number.EPSILON)).toBe(2);
  });
});

describe("expectedDistinct", () => {
  it.each([
    ["uniform", uniform(KEYS)],
    ["zipf", zipf(KEYS, 1)],
  ])("agrees with what is drawn: %s", (_, distribution) => {
    const touched = drawnFrom(distribution, 1_500).filter((times) => times > 0).length;
    const expected = distribution.expectedDistinct(1_500);
    expect(Math.abs(touched - expected) / expected).toBeLessThan(0.05);
  });
});
