import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLimiter, fixedWindow, joinCluster } from "../../src/index.ts";
import { memoryNetwork } from "../../src/testing.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a transport that throws", () => {
  it("drops frames, is reported, and ends neither a process nor the making of a limiter", async () => {
    const transport = memoryNetwork().transport();
    transport.publish = () => {
      throw new Error("broken");
    };
    const cluster = joinCluster({ transport, namespace: "shop" });
    const policy = fixedWindow({ limit: 10, windowMs: 60_000 });
    const limiter = createLimiter({ name: "api", policy, cluster });
    expect(limiter.check("ada").allowed).toBe(true);
    await vi.advanceTimersByTimeAsync(5_000);
    const { frames, lastTrouble } = cluster.status();
    expect([frames.sent, frames.dropped > 5]).toEqual([0, true]);
    expect(lastTrouble).toBe("the transport threw where it must not: Error: broken");
    await cluster.leave();
  });
});
