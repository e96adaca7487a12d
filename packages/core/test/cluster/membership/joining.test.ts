import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { halvesOf } from "../../../src/protocol/membership/replica-id.ts";
import { writeReplyPart } from "../../../src/wire/control-sections.ts";
import { FrameWriter } from "../../../src/wire/frame.ts";
import { hit, lose, TappedCluster, used } from "../tapped-cluster.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
});

afterEach(() => {
  vi.useRealTimers();
});

it("a joining replica goes on asking about dead replicas until a live one has reported on them", () => {
  const cluster = new TappedCluster();
  const [one, gone] = [cluster.add(), cluster.add()];
  vi.advanceTimersByTime(1_000);
  hit(gone, 10);
  vi.advanceTimersByTime(500);
  cluster.crash(gone);
  vi.advanceTimersByTime(8_000);

  // All requests to the live replica are lost, and a reply to another replica's request arrives.
  const restore = lose("reply", one);
  const late = cluster.add();
  vi.advanceTimersByTime(100);
  const { low, high } = halvesOf(one.cluster.status().replica);
  const writer = new FrameWriter(false);
  const header = { kind: "reply", isSealed: false, tag: late.replica.seal.tag } as const;
  const number = one.replica.sender.counted;
  writer.begin({ ...header, replica: { low, high }, sentAtMs: Date.now(), number });
  writeReplyPart(writer, {
    since: 0,
    upTo: number,
    replyNumber: 1,
    part: 0,
    parts: 1,
    hasAllPermits: false,
  });
  cluster.say(writer.written().slice());
  vi.advanceTimersByTime(50);
  expect(used(late)).toBe(0);

  restore();
  vi.advanceTimersByTime(1_500);
  expect(used(late)).toBe(10);
});

it("a joining replica gets the counts of many dead ones with one look at each key and each count", () => {
  const policy = fixedWindow({ limit: 100, windowMs: 3_600_000 });
  const cluster = new TappedCluster();
  const one = cluster.add({}, { policy });
  vi.advanceTimersByTime(1_000);
  const keys = Array.from({ length: 8_400 }, (_, number) => `key ${number}`);
  for (const key of keys) hit(one, 1, key);
  // Half of them count nothing, and two count the same.
  const counted = Array.from({ length: 40 }, (_, number) => {
    const gone = cluster.add({}, { policy });
    vi.advanceTimersByTime(100);
    const key = keys[number % 4 === 1 ? 7 : 215 * number]!;
    if (number % 2 === 1) hit(gone, 3, key);
    void gone.cluster.leave();
    vi.advanceTimersByTime(300);
    return number % 2 === 1 ? key : [];
  }).flat();
  vi.advanceTimersByTime(5_000);

  const { delta } = Array.from(one.replica.replicatedLimiters.all())[0]!.store;
  const shown = vi.spyOn(delta, "emitRemote");
  const looked = vi.spyOn(delta, "refersTo");
  const late = cluster.add({}, { policy });
  vi.advanceTimersByTime(2_000);
  const truth = (key: string): number => 1 + 3 * counted.filter((each) => each === key).length;
  expect(keys.filter((key) => used(late, key) !== truth(key))).toEqual([]);
  const answers = looked.mock.calls.filter(([record]) => record === 1).length;
  expect(answers).toBeGreaterThan(0);
  expect(looked.mock.calls.length).toBe(answers * keys.length);
  expect(shown.mock.calls.length).toBe(answers * counted.length);
});
