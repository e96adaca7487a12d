import { describe, expect, it } from "vitest";
import { type CostOptions, measureCost } from "../src/index.ts";

let spentMs = 0;
const usual: CostOptions = {
  ...{ seed: 1, replicas: 4, ratePerSecond: 50, keys: 20, limit: 1_000, windowMs: 1_000 },
  ...{ measuredMs: 2_000, latency: { ms: 5 } },
  cpuMs: () => {
    spentMs += 16;
    return spentMs;
  },
};

describe("what replication costs", () => {
  it("is said of one replica and one second", () => {
    const { framesSent, bytesSent, bytesReceived, cpuMs } = measureCost(usual);
    expect(framesSent).toBeGreaterThan(3);
    expect(framesSent).toBeLessThan(200);
    expect(bytesSent / framesSent).toBeGreaterThan(20);
    expect(bytesReceived).toBeCloseTo(3 * bytesSent);
    expect(cpuMs).toBe(16 / 2 / 4);
  });

  it("grows with the load, and less than the load", () => {
    const [little, much] = [50, 500].map(
      (ratePerSecond) => measureCost({ ...usual, ratePerSecond }).bytesSent,
    );
    expect(much).toBeGreaterThan(little!);
    expect(much).toBeLessThan(10 * little!);
  });
});
