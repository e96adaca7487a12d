import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { blankComponent } from "../../../src/crdt/component.ts";
import { ComponentBatch } from "../../../src/wire/component-batch.ts";
import { writeComponents } from "../../../src/wire/component-section.ts";
import { FrameWriter } from "../../../src/wire/frame.ts";
import { TappedCluster, type TappedMember } from "../tapped-cluster.ts";

const OPENERS = 250;
const FRAMES = 20;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A frame of counts in windows of openers that no replica knows. */
function frameOf({ replica }: TappedMember, number: number): Uint8Array {
  const sentAtMs = Date.now();
  const [share] = replica.replicatedLimiters.all();
  const batch = new ComponentBatch();
  for (let opener = 0; opener < OPENERS; opener++) {
    const named = { opener: number * OPENERS + opener + 1, period: sentAtMs, hits: 1 };
    batch.add({ ...blankComponent(), low: opener, high: number, ...named }, 0);
  }
  batch.sort();
  const head = { limiter: share!.identity, of: { low: 0, high: 0 }, policy: 0 };
  const nameOpener = (opener: number) => ({ low: opener, high: 99, agoMs: 0 });
  const writer = new FrameWriter(false);
  const { tag } = replica.seal;
  const sender = { tag, replica: { low: 1, high: 2 }, number, sentAtMs };
  writer.begin({ kind: "counts", isSealed: false, ...sender });
  writeComponents(writer, { ...head, encoding: "window" }, batch, 0, nameOpener);
  return writer.written().slice();
}

it("replicas that are only named as openers keep an index no longer than their windows last", () => {
  const member = new TappedCluster().add();
  vi.advanceTimersByTime(1_000);
  const { replicas, frameQueue } = member.replica;
  for (let number = 1; number <= FRAMES; number++) frameQueue.take(frameOf(member, number));
  vi.advanceTimersByTime(100);
  expect(replicas.size).toBeGreaterThan(OPENERS * FRAMES);
  // The windows, a minute, and what may still arrive of them; and two looks at the named replicas.
  vi.advanceTimersByTime(400_000);
  expect(member.limiter.status().keys).toBe(0);
  expect(replicas.size).toBeLessThan(1_100);
});
