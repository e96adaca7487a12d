/**
 * Two copies of one version in a process, as after `jest.resetModules` or with a nested
 * installation, work as one. Objects of another version are refused.
 */

import { afterEach, beforeAll, expect, it, vi } from "vitest";
import * as one from "../../src/index.ts";
import { manualClock, memoryNetwork } from "../../src/testing.ts";

let two: typeof one;

beforeAll(async () => {
  vi.resetModules();
  two = await import("../../src/index.ts");
});

afterEach(() => {
  vi.useRealTimers();
});

const policy = one.fixedWindow({ limit: 3, windowMs: 60_000 });

it("are two copies", () => {
  expect(two.createLimiter).not.toBe(one.createLimiter);
});

it("a policy of one copy serves a limiter of the other", () => {
  const limiter = two.createLimiter({ name: "api", policy, clock: manualClock(0) });
  expect([1, 2, 3, 4].map(() => limiter.check("ada").allowed)).toEqual([true, true, true, false]);
  limiter.close();
});

it("a cluster of one copy carries what a limiter of the other counts", async () => {
  vi.useFakeTimers();
  const network = memoryNetwork();
  const [here, there] = [one, two].map((core) =>
    core.joinCluster({ namespace: "shop", transport: network.transport() }),
  );
  const limiters = [
    one.createLimiter({ name: "api", policy, cluster: there! }),
    two.createLimiter({ name: "api", policy, cluster: here! }),
  ];
  await vi.advanceTimersByTimeAsync(1_000);
  expect(limiters.map((limiter) => limiter.check("ada").allowed)).toEqual([true, true]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(limiters.map((limiter) => limiter.peek("ada").used)).toEqual([2, 2]);
  const left = Promise.all([here!.leave(), there!.leave()]);
  await vi.advanceTimersByTimeAsync(5_000);
  await left;
});

it("a transport joins one cluster, whichever copy joins it", async () => {
  const transport = memoryNetwork().transport();
  const cluster = one.joinCluster({ namespace: "shop", transport });
  expect(() => two.joinCluster({ namespace: "shop", transport })).toThrow(
    "this transport has joined a cluster before",
  );
  vi.useFakeTimers();
  const left = cluster.leave();
  await vi.advanceTimersByTimeAsync(5_000);
  await left;
});

it("all copies share one timer", () => {
  vi.useFakeTimers();
  const limiters = [one, two].map((core) => core.createLimiter({ name: "api", policy }));
  for (const limiter of limiters) limiter.check("ada");
  expect(vi.getTimerCount()).toBe(1);
  for (const limiter of limiters) limiter.close();
  expect(vi.getTimerCount()).toBe(0);
});

it("an object of another version is refused in a sentence that names both", () => {
  const made = Symbol.for("tidegate.made");
  const from = "/srv/node_modules/other/core.cjs";
  const other = Object.defineProperty({}, made, {
    value: { kind: "policy", version: "99.1.0", from, inside: {} },
  });
  expect(() => two.createLimiter({ name: "api", policy: other as typeof policy })).toThrow(
    /^'policy' was made by version 99\.1\.0 of @tidegate\/core, loaded from \/srv\/node_modules\/other\/core\.cjs, and given to version \S+, loaded from \S+: install one version/,
  );
  expect(() =>
    two.createLimiter({ name: "api", policy, cluster: other as unknown as one.Cluster }),
  ).toThrow("'cluster' must be what joinCluster returned");
});

it("a clone of a policy or of a cluster is no policy and no cluster", () => {
  const copies = [{ ...policy }, Object.create(policy), structuredClone(policy)];
  for (const copy of copies) {
    expect(() => two.createLimiter({ name: "api", policy: copy })).toThrow("must be made by");
  }
});
