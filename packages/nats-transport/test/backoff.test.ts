import { describe, expect, it } from "vitest";
import { Backoff } from "../src/backoff.ts";

describe("waits between tries", () => {
  it("double up to the longest, and begin again after a success", () => {
    const backoff = new Backoff(100, 1_000, () => 1);
    const waits = () => Array.from({ length: 6 }, () => backoff.nextMs());
    expect(waits()).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    backoff.reset();
    expect(waits()[0]).toBe(100);
  });

  it("are up to half as long at random", () => {
    expect(new Backoff(100, 1_000, () => 0).nextMs()).toBe(50);
    expect(new Backoff(100, 1_000, () => 0.5).nextMs()).toBe(75);
  });
});
