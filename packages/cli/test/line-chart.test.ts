import { describe, expect, it } from "vitest";
import { lineChart, ticks } from "../src/chart/line-chart.ts";

const chart = lineChart({
  title: "Over & <under>",
  subtitle: "a chart",
  x: { label: "load", show: (value) => `${value}×` },
  y: { label: "part", show: (value) => `${value * 100} %`, least: 0.02 },
  series: [
    {
      name: "mean",
      points: [
        [0, 0],
        [10, 0.25],
      ],
      style: "marked",
      color: 0,
    },
    {
      name: "law",
      points: [
        [0, 0],
        [10, 0.3],
      ],
      style: "dashed",
      color: 1,
    },
  ],
});

describe("a line chart", () => {
  it("draws each series in the place of its values", () => {
    const lines = Array.from(chart.matchAll(/<path class="([^"]*)" d="([^"]*)"/g));
    expect(lines.map(([, name]) => name)).toEqual(["line c1 dashed", "line c0 marked"]);
    expect(lines[0]?.[2]).toBe("M72,396L716,112");
    const [, middle] = /^M72,396L716,([\d.]+)$/.exec(lines[1]![2]!)!;
    expect(Number(middle)).toBeCloseTo(396 - (25 / 30) * 284, 0);
  });

  it("has a title, a text for readers of screens, a legend, and colours for light and dark", () => {
    expect(chart).toContain('<title id="title">Over &amp; &lt;under&gt;</title>');
    expect(chart).toContain('role="img"');
    expect(chart).toContain(">mean</text>");
    expect(chart).toContain("prefers-color-scheme:dark");
    expect(chart).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("has round ticks up to the largest value", () => {
    expect(ticks(0.287)).toEqual([0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]);
    expect(ticks(10)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticks(5_000)).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000]);
    expect(ticks(0)).toEqual([0, 1]);
    for (const most of [0.013, 0.7, 3, 17, 99, 1_234]) {
      const all = ticks(most);
      expect(all.at(-1)).toBeGreaterThanOrEqual(most * 0.999);
      expect(all.length).toBeLessThanOrEqual(8);
    }
  });
});
