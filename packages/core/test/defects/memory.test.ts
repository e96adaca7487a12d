/** What has gone wrong elsewhere with memory: see docs/internals/defects-of-others.md. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { TappedCluster } from "../cluster/tapped-cluster.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

it("thirty thousand keys over twenty windows never take more room than they may, anywhere", () => {
  const cluster = new TappedCluster();
  const policy = fixedWindow({ limit: 10, windowMs: 1_000 });
  const members = [0, 1].map(() => cluster.add({}, { policy, maxKeys: 2_000 }));
  vi.advanceTimersByTime(1_000);
  let key = 0;
  for (let window = 0; window < 20; window++) {
    for (let part = 0; part < 10; part++) {
      for (let hits = 0; hits < 150; hits++) members[hits % 2]!.limiter.check(`key ${key++}`);
      vi.advanceTimersByTime(100);
      for (const { limiter } of members) {
        expect(limiter.status().keys).toBeLessThanOrEqual(2_000);
      }
    }
  }
  expect(key).toBe(30_000);
  vi.advanceTimersByTime(120_000);
  expect(members.map(({ limiter }) => limiter.status().keys)).toEqual([0, 0]);
});
