import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { halvesOf } from "../../src/replication/replica-id.ts";
import { FrameWriter } from "../../src/wire/frame.ts";
import { writePage } from "../../src/wire/repair-sections.ts";
import { hit, lose, TappedCluster, used } from "./tapped-cluster.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

it("a newcomer goes on asking for those who are gone until somebody has spoken for them", () => {
  const cluster = new TappedCluster();
  const [one, gone] = [cluster.add(), cluster.add()];
  vi.advanceTimersByTime(1_000);
  hit(gone, 10);
  vi.advanceTimersByTime(500);
  cluster.crash(gone);
  vi.advanceTimersByTime(8_000);

  // All that was asked of the one who is left is lost, and something is heard that others asked for.
  const restore = lose("page", one);
  const late = cluster.add();
  vi.advanceTimersByTime(100);
  const { low, high } = halvesOf(one.cluster.status().replica);
  const writer = new FrameWriter(false);
  const header = { kind: "page", isSealed: false, tag: late.replicator.seal.tag } as const;
  const number = one.replicator.sender.counted;
  writer.begin({ ...header, replicaLow: low, replicaHigh: high, sentAtMs: Date.now(), number });
  writePage(writer, { since: 0, upTo: number, telling: 1, part: 0, parts: 1 });
  cluster.say(writer.written().slice());
  vi.advanceTimersByTime(50);
  expect(used(late)).toBe(0);

  restore();
  vi.advanceTimersByTime(1_500);
  expect(used(late)).toBe(10);
});
