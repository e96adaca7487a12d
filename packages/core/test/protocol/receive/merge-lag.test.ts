import { describe, expect, it } from "vitest";
import { MergeLag } from "../../../src/protocol/receive/merge-lag.ts";

describe("the time up to which all counts of a replica are merged", () => {
  it("is the time of the latest claim up to whose number no frame is missing", () => {
    const lag = new MergeLag(100);
    lag.claim(1, 200);
    lag.merged(0);
    expect(lag.mergedClockMs).toBe(100);
    lag.merged(1);
    expect(lag.mergedClockMs).toBe(200);
    lag.claim(1, 300);
    lag.merged(1);
    expect(lag.mergedClockMs).toBe(300);
  });

  it("moves on if each claim is met only after the next one is made", () => {
    const lag = new MergeLag(0);
    for (let number = 1; number <= 50; number++) {
      lag.claim(number, 100 * number);
      lag.merged(number - 1);
      if (number > 2) expect(lag.mergedClockMs).toBeGreaterThanOrEqual(100 * (number - 2));
    }
    lag.merged(50);
    expect(lag.mergedClockMs).toBe(5_000);
  });

  it("does not go back for a claim that is late", () => {
    const lag = new MergeLag(0);
    lag.claim(2, 200);
    lag.merged(2);
    lag.claim(1, 100);
    lag.merged(2);
    expect(lag.mergedClockMs).toBe(200);
  });
});
