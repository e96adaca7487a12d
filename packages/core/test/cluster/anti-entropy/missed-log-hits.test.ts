import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { slidingLog } from "../../../src/policies/sliding-log.ts";
import { hit, TappedCluster, used } from "../tapped-cluster.ts";

const MINUTE = 60_000;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

it("hits that have left the log of a young process do not arrive as new at one that missed them", () => {
  // Times of a process begin with it, and here it is barely older than its log is long.
  const cluster = new TappedCluster();
  const policy = slidingLog({ limit: 100, windowMs: MINUTE });
  const one = cluster.add({}, { policy });
  const two = cluster.add({}, { policy });
  vi.advanceTimersByTime(1_000);
  cluster.network.cut(one.transport, two.transport);
  hit(one, 9);
  vi.advanceTimersByTime(40_000);
  hit(one, 1);
  vi.advanceTimersByTime(MINUTE - 35_000);
  cluster.network.heal();
  hit(one, 1);
  vi.advanceTimersByTime(3_000);
  expect([used(one), used(two)]).toEqual([2, 2]);
});
