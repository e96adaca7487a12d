import { describe, expect, it } from "vitest";
import { fleetChart } from "../src/http/fleet-chart.ts";
import type { FleetRecord } from "../src/scenarios/http/fleet.ts";

function fleet(limiter: FleetRecord["limiter"], ...perWindow: readonly number[]): FleetRecord {
  const shape = { kind: "fleet", processes: 4, limit: 2, windowMs: 1_000 } as const;
  const admittedAtMs = perWindow.flatMap((admitted, window) =>
    Array.from({ length: admitted }, (_, hit) => window * 1_250 + hit * 100),
  );
  return { ...shape, requestsPerSecond: 10, limiter, admittedAtMs, perWindow };
}

describe("the chart of a fleet", () => {
  it("climbs by one with each admitted request and begins again with each window", () => {
    const chart = fleetChart([fleet("tidegate", 2, 1)]);
    const [, path] = /<path d="([^"]+)"/.exec(chart)!;
    const windows = path!.split("M").slice(1);
    expect(windows).toHaveLength(2);
    // The start, a point for each request, and the end of the window.
    expect(windows.map((points) => points.split("L").length)).toEqual([4, 3]);
  });

  it("names each limiter with what it admitted, and draws the limit", () => {
    const chart = fleetChart([fleet("peer", 8, 8), fleet("tidegate", 2, 2)]);
    expect(chart).toContain("express-rate-limit: 8, 8 admitted");
    expect(chart).toContain("tidegate: 2, 2 admitted");
    expect(chart).toContain("limit: 2");
  });

  it("needs a fleet that was measured", () => {
    expect(() => fleetChart([])).toThrow("needs a fleet");
  });
});
