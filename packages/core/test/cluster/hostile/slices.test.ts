import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { tokenBucket } from "../../../src/policies/bucket.ts";
import { writeCheckpoints } from "../../../src/wire/checkpoint-section.ts";
import { writeReplicaReport } from "../../../src/wire/control-sections.ts";
import { FrameWriter } from "../../../src/wire/frame.ts";
import { writeNotes } from "../../../src/wire/note-section.ts";
import { TappedCluster, type TappedMember } from "../tapped-cluster.ts";

const NOW_MS = 1_790_000_000_000;
const MANY = 2_000;

let member: TappedMember;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_MS });
  const policy = tokenBucket({ capacity: 10, refillPerSecond: 1 });
  member = new TappedCluster().add({}, { policy });
  vi.advanceTimersByTime(1_000);
});
afterEach(() => {
  vi.useRealTimers();
});

/** How often something is done at most between two looks at the time while a frame is read. */
function mostAtOnce(watched: MockInstance, write: (writer: FrameWriter) => void): number {
  const { receiver, seal } = member.replica;
  const writer = new FrameWriter(false);
  const header = { kind: "counts" as const, isSealed: false, tag: seal.tag };
  writer.begin({ ...header, replica: { low: 5, high: 6 }, sentAtMs: Date.now(), number: 1 });
  write(writer);
  let most = 0;
  const slices = receiver.receive(writer.written().slice(), NOW_MS);
  for (let isDone = false; !isDone; ) {
    const before = watched.mock.calls.length;
    isDone = slices.next().done === true;
    most = Math.max(most, watched.mock.calls.length - before);
  }
  expect(watched.mock.calls.length).toBeGreaterThan(MANY / 2);
  return most;
}

describe("a full frame", () => {
  const keys = Array.from({ length: MANY }, (_, low) => ({ low, high: 1 }));

  it("of resets is read some at a time", () => {
    const { identity, store } = Array.from(member.replica.replicatedLimiters.all())[0]!;
    const notes = keys.map((key) => ({ ...key, reset: NOW_MS, markReset: 0, marks: [] }));
    const joined = vi.spyOn(store.resets, "join");
    expect(mostAtOnce(joined, (writer) => writeNotes(writer, identity, 0, notes, 0))).toBe(32);
  });

  it("of levels is read some at a time", () => {
    const { identity, store } = Array.from(member.replica.replicatedLimiters.all())[0]!;
    const level = { slot: Math.floor(NOW_MS / 1_000), level: 1_000, reset: 0 };
    const levels = keys.map((key) => ({ ...key, ...level }));
    const joined = vi.spyOn(store.checkpoints, "join");
    const write = (writer: FrameWriter) => writeCheckpoints(writer, identity, 0, levels, 0);
    expect(mostAtOnce(joined, write)).toBe(32);
  });

  it("of received frames is read some at a time", () => {
    const reported = vi.spyOn(member.replica.members, "reported");
    const most = mostAtOnce(reported, (writer) => {
      for (const key of keys) {
        writeReplicaReport(writer, {
          ...key,
          ...{ upTo: 1, above: 0 },
          clockMs: NOW_MS - 9_000,
          silentMs: 9_000,
        });
      }
    });
    expect(most).toBe(16);
  });
});
