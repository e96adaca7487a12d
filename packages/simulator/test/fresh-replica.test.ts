import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createLimiter, fixedWindow, type Limiter } from "@tidegate/core";
import { type SteppedCluster, steppedCluster } from "@tidegate/core/simulation";
import { describe, expect, it } from "vitest";

const policy = fixedWindow({ limit: 1_000, windowMs: 3_600_000 });
const clock = { now: () => 0, wall: () => 1_790_000_000_000 };

function fresh(index: number): [SteppedCluster, Limiter] {
  const id = index.toString(16).padStart(16, "1");
  const stepped = steppedCluster({ id, clock, random: () => 0.5 });
  return [stepped, createLimiter({ name: "api", policy, cluster: stepped.cluster })];
}

/** Bytes that are in use after everything unused has been freed. */
function bytesInUse(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe("a fresh replica with one limiter", () => {
  it("takes at most 150 kB, so that a process can hold thousands", () => {
    const kept = Array.from({ length: 100 }, (_, index) => fresh(index));
    const before = bytesInUse();
    for (let index = 100; index < 300; index++) kept.push(fresh(index));
    const bytes = (bytesInUse() - before) / 200;
    expect(kept).toHaveLength(300);
    expect(bytes).toBeLessThan(150_000);
  });
});
