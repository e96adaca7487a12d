import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLimiter } from "../../../src/limiter/limiter.ts";
import { tokenBucket } from "../../../src/policies/bucket.ts";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { type MemoryNetwork, memoryNetwork } from "../../../src/transport/memory-network.ts";
import { hit, type Joined, join, pass, policy } from "../joined.ts";

let network: MemoryNetwork;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  network = memoryNetwork();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("limiters of one name that are configured differently", () => {
  function troubles(set: Joined[]): (string | null)[] {
    vi.advanceTimersByTime(5_000);
    return set.map(({ cluster }) => cluster.status().lastTrouble);
  }

  it("count together when only their limits differ, and both sides report it", () => {
    const one = join(network);
    const two = join(network, {}, { policy: fixedWindow({ limit: 150, windowMs: 60_000 }) });
    const sentences = troubles([one, two]);
    expect(sentences[0]).toMatch(/^limiter "api" has a limit of 100 here and 150 at replica/);
    expect(sentences[1]).toMatch(/^limiter "api" has a limit of 150 here and 100 at replica/);
    hit(one, 100);
    vi.advanceTimersByTime(500);
    expect(pass(two)).toBe(50);
    expect(one.cluster.status().troubles).toBe(1);
  });

  it("do not count together when their windows differ, and both sides report it", () => {
    const one = join(network);
    const two = join(network, {}, { policy: fixedWindow({ limit: 100, windowMs: 30_000 }) });
    for (const sentences of troubles([one, two])) {
      expect(sentences).toMatch(/^limiter "api" has other policies, windows or slots at replica/);
    }
    hit(one, 100);
    vi.advanceTimersByTime(500);
    expect(pass(two)).toBe(100);
  });

  it("are reported with both configurations, and with how to find the other process", () => {
    const one = join(network);
    const policies = [
      fixedWindow({ limit: 90, calendar: "day" }),
      tokenBucket({ capacity: 10, refillPerSecond: 2 }),
      concurrency({ limit: 3 }),
    ];
    const two = join(network, {}, { policy: undefined, policies });
    const ids = [two, one].map(({ cluster }) => cluster.status().replica);
    const expected = [
      "100 by fixedWindow of 60000 ms here, and limits of 90, 10, 3 there",
      "90 by fixedWindow of a calendar day, 10 by tokenBucket of 2 a second, 3 by concurrency here, and a limit of 100 there",
    ].map(
      (both, index) =>
        `limiter "api" has other policies, windows or slots at replica ${ids[index]}, so they do not count together. It has ${both}: configure it alike; 'status().replica' says which process a replica is`,
    );
    expect(troubles([one, two])).toEqual(expected);
  });

  it("count together when one of them states a default that the other leaves out", () => {
    const week = { limit: 100, calendar: "week" } as const;
    const spelled = { timeZone: "utc", weekStartsOn: "monday" } as const;
    const one = join(network, {}, { policy: fixedWindow(week) });
    const two = join(network, {}, { policy: fixedWindow({ ...week, ...spelled }) });
    expect(troubles([one, two])).toEqual([null, null]);
    hit(one, 100);
    vi.advanceTimersByTime(500);
    expect(pass(two)).toBe(0);
  });

  it("do not count together when their weeks begin on other days, or in other zones", () => {
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

  it("are found among many, and other names are not compared", () => {
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

describe("a limiter of a name that no other process has", () => {
  const alone = (name: string, { cluster }: Joined): string =>
    `limiter "${name}" counts alone: for a minute no other replica has reported a limiter of this name, and replica ${cluster.status().replica} has reported one that is not here. Limiters count together by their 'name': compare it in all processes, and ignore this if no other process is meant to have it`;

  /** What processes have reported in so many seconds. */
  function said(seconds: number, ...set: Joined[]): (string | null)[] {
    vi.advanceTimersByTime(seconds * 1_000);
    return set.map(({ cluster }) => cluster.status().lastTrouble);
  }

  it("is reported after a minute, once, if another process has one that is not here", () => {
    const [one, two] = [join(network), join(network, {}, { name: "apii" })];
    expect(said(59, one, two)).toEqual([null, null]);
    expect(said(4, one, two)).toEqual([alone("api", two), alone("apii", one)]);
    said(600);
    expect(one.cluster.status().troubles).toBe(1);
  });

  it("is found among processes that agree, which report nothing", () => {
    const [one, two] = [join(network), join(network)];
    const odd = join(network, {}, { name: "apii" });
    expect(said(120, one, two)).toEqual([null, null]);
    expect(odd.cluster.status()).toMatchObject({
      troubles: 1,
      lastTrouble: expect.stringMatching(/^limiter "apii" counts alone/),
    });
  });

  it("is not reported if services share a namespace, each with several processes", () => {
    const services = ["web", "web", "mail", "mail"].map((name) => join(network, {}, { name }));
    expect(said(600, ...services)).toEqual([null, null, null, null]);
    // One that is left of several has been in agreement with them.
    void services[1]!.transport.close();
    expect(said(600, services[0]!)).toEqual([null]);
  });

  it("is not reported if the others have no limiter that is not here", () => {
    const [one, two] = [join(network), join(network)];
    createLimiter({ name: "log-in", policy, cluster: one.cluster });
    expect(said(600, one, two)).toEqual([null, null]);
  });

  it("is not reported because of the first heartbeats of a process that just joined", () => {
    const one = join(network);
    expect(said(600, one)).toEqual([null]);
    const two = join(network, {}, { name: "route 0" });
    for (let index = 1; index < 8; index++) {
      createLimiter({ name: `route ${index}`, policy, cluster: two.cluster });
    }
    createLimiter({ name: "api", policy, cluster: two.cluster });
    expect(said(600, one)).toEqual([null]);
  });

  it("is printed once if there is no subscriber", () => {
    const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const one = join(network);
    createLimiter({ name: "log-in", policy, cluster: one.cluster });
    join(network, {}, { name: "apii" });
    said(120);
    expect(one.cluster.status().troubles).toBe(2);
    expect(emitted.mock.calls.map(([, options]) => options)).toEqual(
      [1, 2].map(() => ({ type: "TidegateWarning", code: "TIDEGATE_LIMITER_ALONE" })),
    );
    emitted.mockRestore();
  });
});

describe("decisions", () => {
  it("are counted, and each process publishes how many of its own there were", () => {
    const [one, two] = [join(network), join(network)];
    hit(one, 130);
    one.limiter.charge("bob");
    one.limiter.peek("bob");
    vi.advanceTimersByTime(2_000);
    expect(one.limiter.status()).toMatchObject({ allowed: 101, refused: 30 });
    expect(two.cluster.status().peers).toMatchObject([{ allowed: 101, refused: 30 }]);
  });
});
