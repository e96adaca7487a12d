import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { hit, TappedCluster, used } from "../tapped-cluster.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

it("a replica that joins during a partition sees the permits of a partitioned one when its frames arrive", () => {
  const cluster = new TappedCluster();
  const policy = concurrency({ limit: 10 });
  const one = cluster.add({}, { policy });
  const two = cluster.add({}, { policy });
  hit(one, 3);
  vi.advanceTimersByTime(100);
  cluster.network.cut(one.transport, two.transport);
  vi.advanceTimersByTime(10_000);
  const three = cluster.add({}, { policy });
  cluster.network.cut(one.transport, three.transport);
  vi.advanceTimersByTime(5_000);
  expect([used(two), used(three)]).toEqual([0, 0]);
  cluster.network.heal();
  vi.advanceTimersByTime(5_000);
  expect([used(two), used(three)]).toEqual([3, 3]);
});
