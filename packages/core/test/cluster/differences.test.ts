import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLimiter } from "../../src/limiter.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { type MemoryNetwork, memoryNetwork } from "../../src/transport/memory-network.ts";
import { hit, type Joined, join, pass, policy } from "./joined.ts";

let network: MemoryNetwork;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  network = memoryNetwork();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("limiters of one name that are not the same", () => {
  function troubles(set: Joined[]): (string | null)[] {
    vi.advanceTimersByTime(5_000);
    return set.map(({ cluster }) => cluster.status().lastTrouble);
  }

  it("count together when only their limits differ, and both sides say so", () => {
    const one = join(network);
    const two = join(network, {}, { policy: fixedWindow({ limit: 150, windowMs: 60_000 }) });
    const told = troubles([one, two]);
    expect(told[0]).toMatch(/^limiter "api" has a limit of 100 here and 150 at replica/);
    expect(told[1]).toMatch(/^limiter "api" has a limit of 150 here and 100 at replica/);
    hit(one, 100);
    vi.advanceTimersByTime(500);
    expect(pass(two)).toBe(50);
    expect(one.cluster.status().troubles).toBe(1);
  });

  it("do not count together when their windows differ, and both sides say so", () => {
    const one = join(network);
    const two = join(network, {}, { policy: fixedWindow({ limit: 100, windowMs: 30_000 }) });
    for (const told of troubles([one, two])) {
      expect(told).toMatch(/^limiter "api" has other policies, windows or slots at replica/);
    }
    hit(one, 100);
    vi.advanceTimersByTime(500);
    expect(pass(two)).toBe(100);
  });

  it("count together when what one of them leaves out is what the other says", () => {
    const week = { limit: 100, calendar: "week" } as const;
    const spelled = { timeZone: "utc", weekStartsOn: "monday" } as const;
    const one = join(network, {}, { policy: fixedWindow(week) });
    const two = join(network, {}, { policy: fixedWindow({ ...week, ...spelled }) });
    expect(troubles([one, two])).toEqual([null, null]);
    hit(one, 100);
    vi.advanceTimersByTime(500);
    expect(pass(two)).toBe(0);
  });

  it("do not count together when their weeks begin on other days, or elsewhere", () => {
    const week = { limit: 100, calendar: "week" } as const;
    const one = join(network, {}, { policy: fixedWindow(week) });
    const others = [
      fixedWindow({ ...week, weekStartsOn: "sunday" }),
      fixedWindow({ ...week, timeZone: "Asia/Tokyo" }),
    ].map((policy) => join(network, {}, { policy }));
    hit(one, 100);
    vi.advanceTimersByTime(500);
    expect(others.map((other) => pass(other))).toEqual([100, 100]);
  });

  it("are found among many, and other names are none of their business", () => {
    const [one, two] = [join(network), join(network)];
    for (let index = 0; index < 20; index++) {
      const name = `route ${index}`;
      createLimiter({ name, policy, cluster: one.cluster });
      const limit = index === 17 ? 7 : 100;
      createLimiter({
        name,
        policy: fixedWindow({ limit, windowMs: 60_000 }),
        cluster: two.cluster,
      });
    }
    vi.advanceTimersByTime(5_000);
    const [{ troubles, lastTrouble }] = [one.cluster.status()];
    expect([troubles, lastTrouble]).toEqual([
      1,
      expect.stringContaining('limiter "route 17" has a limit of 100 here and 7 at replica'),
    ]);
  });
});

describe("decisions", () => {
  it("are counted, and each process tells the others how many of its own there were", () => {
    const [one, two] = [join(network), join(network)];
    hit(one, 130);
    one.limiter.charge("bob");
    one.limiter.peek("bob");
    vi.advanceTimersByTime(2_000);
    expect(one.limiter.status()).toMatchObject({ allowed: 101, refused: 30 });
    expect(two.cluster.status().peers).toMatchObject([{ allowed: 101, refused: 30 }]);
  });
});
