/** What has gone wrong elsewhere with memory: see docs/internals/defects-of-others.md. */

import { isWideRun } from "@tidegate/testkit";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { TappedCluster } from "../cluster/tapped-cluster.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A million keys in a hundred windows where there is time for that. */
const [WINDOWS, KEYS_AT_ONCE] = isWideRun() ? [100, 1_000] : [20, 150];
const TIMEOUT_MS = 5 * 60_000;

it(
  "keys that never come again take no more room than allowed, however many there are",
  () => {
    const cluster = new TappedCluster();
    const policy = fixedWindow({ limit: 10, windowMs: 1_000 });
    const members = [0, 1].map(() => cluster.add({}, { policy, maxKeys: 2_000 }));
    vi.advanceTimersByTime(1_000);
    let key = 0;
    for (let window = 0; window < WINDOWS; window++) {
      for (let part = 0; part < 10; part++) {
        for (let hits = 0; hits < KEYS_AT_ONCE; hits++)
          members[hits % 2]!.limiter.check(`key ${key++}`);
        vi.advanceTimersByTime(100);
        for (const { limiter } of members) {
          expect(limiter.status().keys).toBeLessThanOrEqual(2_000);
        }
      }
    }
    expect(key).toBe(WINDOWS * 10 * KEYS_AT_ONCE);
    vi.advanceTimersByTime(120_000);
    expect(members.map(({ limiter }) => limiter.status().keys)).toEqual([0, 0]);
  },
  TIMEOUT_MS,
);
