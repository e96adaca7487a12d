import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { hit, TappedCluster, used } from "../tapped-cluster.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Longer than any count waits to be published. */
const ALL_PUBLISHED_MS = 300;

it("a permit released while no replica received frames is not held for ever by those that saw it held", () => {
  const cluster = new TappedCluster();
  const policy = concurrency({ limit: 10 });
  const two = cluster.add({}, { policy });
  const one = cluster.add({}, { policy });
  cluster.network.cut(two.transport, one.transport);
  hit(one, 3);
  vi.advanceTimersByTime(ALL_PUBLISHED_MS);
  expect(used(two)).toBe(3);
  cluster.network.cut(one.transport, two.transport);
  one.limiter.release("ada", 3);
  // Other keys come, and the records that do not count any more are freed.
  for (let key = 0; key < 20; key++) hit(one, 1, `other ${key}`);
  vi.advanceTimersByTime(ALL_PUBLISHED_MS);
  cluster.network.heal();
  vi.advanceTimersByTime(10_000);
  expect([used(one), used(two)]).toEqual([0, 0]);
});
