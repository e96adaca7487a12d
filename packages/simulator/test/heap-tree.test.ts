import { describe, expect, it } from "vitest";
import {
  type HeapTreeKind,
  heapError,
  heapFormulaMs,
  heapPropagationMs,
  longestHeapPath,
} from "../src/index.ts";

const KINDS: readonly HeapTreeKind[] = ["as published", "repaired"];

describe("a heap tree", () => {
  it("has the longest paths that its shape has", () => {
    const sizes = [1, 2, 3, 10, 20, 50, 100, 1_000, 5_000];
    expect(sizes.map(longestHeapPath)).toEqual([0, 1, 2, 5, 7, 10, 12, 18, 23]);
  });

  it("needs less by its published formula than along its longest path", () => {
    const seconds = [3, 10, 100, 5_000].map((size) => heapFormulaMs(size, 500, 5) / 1_000);
    expect(seconds.map((time) => Number(time.toFixed(4)))).toEqual([1.01, 2.484, 5.7148, 11.4009]);
  });

  for (const kind of KINDS) {
    it(`brings each hit to every replica within its longest path: ${kind}`, () => {
      for (const replicas of [2, 3, 10, 100]) {
        const options = { seed: 1, kind, replicas, intervalMs: 50, latencyMs: 5 };
        const worst = heapPropagationMs(options, 30);
        expect(worst).toBeLessThanOrEqual(longestHeapPath(replicas) * 55);
        expect(worst).toBeGreaterThan(longestHeapPath(replicas) * 15);
      }
    });
  }

  it("is wrong for good after loss and repetition, unless it sends sums", () => {
    const faulty = { seed: 1, replicas: 15, intervalMs: 50, latencyMs: 5, duplicate: 0.05 };
    const errors = KINDS.map((kind) => heapError({ ...faulty, kind, loss: 0.05 }, 2_000));
    expect(errors[0]).toBeGreaterThan(0.01);
    expect(errors[1]).toBe(0);
    expect(heapError({ ...faulty, kind: "as published", duplicate: 0 }, 500)).toBe(0);
  });
});
