import { setTimeout as pause } from "node:timers/promises";
import { type Flow, isWideRun, type ReplicaProcess } from "@tidegate/testkit";
import { describe, expect } from "vitest";
import { it, until } from "./fleet-over-nats.ts";

const PROCESSES = isWideRun() ? 6 : 3;
const KEYS = isWideRun() ? 100_000 : 30_000;
/** Looking at all keys would be a load of its own. */
const SAMPLE = 1_000;
const BURST_MS = isWideRun() ? 30_000 : 8_000;
/**
 * Hits a second of each process: many for few of them, as a machine merges what each receives of
 * all others.
 */
const BURST = isWideRun() ? 50_000 : 300_000;
const AFTER_MS = 2_000;
/**
 * How soon all agree once the load is usual again, and as much for a machine that others keep busy.
 */
const AGREED_MS = 2 * 5_000 - AFTER_MS;
const WINDOW_MS = 600_000;
/** How far clocks that are equal may be said to be apart. */
const CLOCK_MS_MAX = 500;

/** Hits of many keys, and of one key whose windows are recorded. */
function flowsOf(perSecond: number): Flow[] {
  return [
    { key: "many", perSecond, isScattered: true, keys: KEYS },
    { key: "hot", perSecond: 50, isRecorded: true },
  ];
}

async function all<Result>(
  replicas: readonly ReplicaProcess[],
  ask: (replica: ReplicaProcess) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(replicas.map(ask));
}

describe("processes that count more than they can merge", () => {
  it(
    "keep their clocks and windows right, report it, and agree soon after",
    async ({ lab }) => {
      const { url } = await lab.server();
      const policy = { kind: "fixedWindow", limit: 1e9, windowMs: WINDOW_MS } as const;
      const replicas = await lab.started({ url, policy }, PROCESSES);
      await all(replicas, (replica) => replica.begin(...flowsOf(1_000)));
      await pause(1_000);
      const usual = await all(replicas, (replica) => replica.end());

      await all(replicas, (replica) => replica.begin(...flowsOf(BURST)));
      let clockErrorMs = 0;
      let mostLagMs = 0;
      let isOverloaded = false;
      const untilMs = performance.now() + BURST_MS;
      while (performance.now() < untilMs) {
        for (const status of await all(replicas, (replica) => replica.status())) {
          const apartMs = status.peers.map(({ clockAheadMs }) => Math.abs(clockAheadMs));
          clockErrorMs = Math.max(clockErrorMs, Math.abs(status.clockOffsetMs), ...apartMs);
          mostLagMs = Math.max(mostLagMs, status.lagMs);
          isOverloaded ||= status.isOverloaded;
        }
        await pause(250);
      }
      const burst = await all(replicas, (replica) => replica.end());
      await all(replicas, (replica) => replica.begin(...flowsOf(1_000)));
      await pause(AFTER_MS);
      const after = await all(replicas, (replica) => replica.end());
      let sums: number[] = [];
      const agreedMs = await until(async () => {
        for (const keys of [SAMPLE, KEYS]) {
          sums = await all(replicas, (replica) => replica.sum("many", keys));
          if (new Set(sums).size > 1) return pause(250, false);
        }
        return true;
      }, AGREED_MS);

      const counted = [usual, burst, after].flat().map(({ keys }) => keys["many"]!.allowed);
      expect(new Set(sums)).toEqual(new Set([counted.reduce((sum, hits) => sum + hits, 0)]));
      expect(agreedMs).toBeLessThan(AGREED_MS);
      expect(clockErrorMs).toBeLessThan(CLOCK_MS_MAX);
      // One window of the hot key, whose end none of them has moved.
      const ends = [usual, burst, after].flat().flatMap(({ admissions }) => {
        return admissions.map(([atMs, resetMs]) => atMs + resetMs);
      });
      expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(CLOCK_MS_MAX);
      expect(isOverloaded || mostLagMs < 5_000).toBe(true);
      const { threw, longestMs } = burst[0]!;
      expect([threw, longestMs < 3_000]).toEqual([0, true]);
    },
    BURST_MS + 90_000,
  );
});
