/**
 * What has gone wrong elsewhere when something was lost: see docs/internals/defects-of-others.md.
 */

import { seededRandom } from "@tidegate/testkit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { memoryNetwork } from "../../src/transport/memory-network.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { FrameWriter } from "../../src/wire/frame.ts";
import { hit, TappedCluster, type TappedMember, used } from "../cluster/tapped-cluster.ts";

let cluster: TappedCluster;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_790_000_000_000 });
  cluster = new TappedCluster();
});

afterEach(() => {
  vi.useRealTimers();
});

function pair(limiterOptions: object = {}): [TappedMember, TappedMember] {
  const members: [TappedMember, TappedMember] = [
    cluster.add({}, limiterOptions),
    cluster.add({}, limiterOptions),
  ];
  vi.advanceTimersByTime(1_000);
  return members;
}

/** Makes a member's transport refuse some of the frames that it is to publish. */
function refusing(transport: Transport, refuses: () => boolean): void {
  const publish = transport.publish.bind(transport);
  transport.publish = (frame, to) => !refuses() && publish(frame, to);
}

describe("a process that restarts", () => {
  it("keeps what it had published, and counts on from there", () => {
    const [one, two] = pair();
    hit(one, 50);
    vi.advanceTimersByTime(500);
    cluster.crash(one);
    const again = cluster.add();
    // In the first seconds no replica knows that the other one has ended, and reports on it.
    vi.advanceTimersByTime(6_000);
    hit(again, 8);
    vi.advanceTimersByTime(500);
    expect([used(two), used(again)]).toEqual([58, 58]);
  });

  it("is another replica, even if all of its options are the same", () => {
    const ids = [1, 2, 3].map(() => cluster.add().cluster.status().replica);
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe("a received frame", () => {
  it("is merged for a key that was never seen here", () => {
    const [one, two] = pair();
    expect(two.limiter.status().keys).toBe(0);
    hit(one, 4, "never seen");
    vi.advanceTimersByTime(500);
    expect(used(two, "never seen")).toBe(4);
  });

  it("may be of an unknown kind: it is counted, and the next frame is read", () => {
    const [one, two] = pair();
    const frame = cluster.of(one).at(-1)!.frame.slice();
    frame[3] = 99;
    cluster.say(frame);
    const writer = new FrameWriter(false);
    const header = { kind: "counts", isSealed: false, tag: two.replica.seal.tag } as const;
    writer.begin({ ...header, replica: { low: 1, high: 2 }, sentAtMs: Date.now(), number: 0 });
    writer.beginSection(200, 3);
    for (const byte of [1, 2, 3]) writer.u8(byte);
    writer.endSection();
    cluster.say(writer.written().slice());
    vi.advanceTimersByTime(10);
    const { frames, peers } = two.cluster.status();
    expect([frames.refused["malformed"], peers.length]).toEqual([1, 2]);
    hit(one, 4);
    vi.advanceTimersByTime(500);
    expect(used(two)).toBe(4);
  });

  it("may be the receiver's own, and changes nothing then", () => {
    const [one, two] = pair();
    hit(one, 9);
    vi.advanceTimersByTime(300);
    for (const { frame } of cluster.of(one)) cluster.say(frame.slice());
    vi.advanceTimersByTime(300);
    expect([used(one), used(two)]).toEqual([9, 9]);
    expect(one.cluster.status().frames.refused["own"]).toBeGreaterThan(0);
  });

  it("that reports the receiver's own counts adds nothing to them, and theirs nothing to its own", () => {
    const [one, two] = pair();
    const third = cluster.add();
    vi.advanceTimersByTime(1_000);
    hit(one, 5);
    hit(two, 3);
    vi.advanceTimersByTime(300);
    cluster.crash(two);
    vi.advanceTimersByTime(10_000);
    // Other replicas report what a dead one has counted, and what they themselves have.
    const late = cluster.add();
    vi.advanceTimersByTime(8_000);
    hit(one, 1);
    vi.advanceTimersByTime(500);
    expect([one, third, late].map((member) => used(member))).toEqual([9, 9, 9]);
  });
});

describe("hits whose frames were refused", () => {
  it("are published later, each counted once, when half of all frames are refused and the rest repeated", () => {
    cluster = new TappedCluster();
    const network = memoryNetwork({ duplicate: 0.99, seed: 5 });
    Object.assign(cluster, { network });
    const [one, two] = pair({ policy: fixedWindow({ limit: 1_000_000, windowMs: 60_000 }) });
    // By chance: if every second frame is refused, replies may always be the second.
    const random = seededRandom(5);
    for (const { transport } of [one, two]) refusing(transport, () => random() < 0.5);
    for (let round = 0; round < 60; round++) {
      hit(one, 2);
      hit(two, 1);
      vi.advanceTimersByTime(70);
    }
    vi.advanceTimersByTime(20_000);
    expect([used(one), used(two)]).toEqual([180, 180]);
    expect(one.cluster.status().frames.dropped).toBeGreaterThan(5);
  });

  it("are published although the first frame with them was refused and others came meanwhile", () => {
    const [one, two] = pair();
    let isRefusing = true;
    refusing(one.transport, () => {
      if (isRefusing) one.limiter.check("ada");
      return isRefusing;
    });
    hit(one, 5);
    vi.advanceTimersByTime(60);
    isRefusing = false;
    const counted = used(one);
    expect(counted).toBeGreaterThan(5);
    vi.advanceTimersByTime(3_000);
    expect(used(two)).toBe(counted);
  });

  it("arrive when only the last frame was lost and nothing is counted after it", () => {
    const [one, two] = pair();
    hit(one, 5);
    vi.advanceTimersByTime(500);
    cluster.network.cut(one.transport, two.transport);
    hit(one, 2, "quiet");
    vi.advanceTimersByTime(400);
    cluster.network.heal();
    vi.advanceTimersByTime(1_300);
    expect([used(two), used(two, "quiet")]).toEqual([5, 2]);
  });

  it("are published without another request for their key", () => {
    const [one, two] = pair();
    hit(one, 1, "once");
    vi.advanceTimersByTime(300);
    expect(used(two, "once")).toBe(1);
  });

  it("of ten thousand keys at once reach a replica that missed the burst", () => {
    const [one, two] = pair();
    cluster.network.cut(one.transport, two.transport);
    for (let key = 0; key < 10_000; key++) hit(one, 1, `key ${key}`);
    vi.advanceTimersByTime(400);
    cluster.network.heal();
    vi.advanceTimersByTime(4_000);
    for (let key = 0; key < 10_000; key += 97) expect(used(two, `key ${key}`)).toBe(1);
    expect(two.cluster.status().peers[0]).toMatchObject({ isAlive: true, isBehind: false });
  });

  it("of a key that was evicted count on beside those from before the eviction", () => {
    const [one, two] = pair({ maxKeys: 20 });
    hit(one, 5);
    vi.advanceTimersByTime(500);
    for (let key = 0; key < 1_000; key++) hit(one, 9, `other ${key}`);
    expect(one.limiter.inspect("ada").known).toBe(false);
    hit(one, 3);
    vi.advanceTimersByTime(500);
    const late = cluster.add({}, { maxKeys: 1_000 });
    vi.advanceTimersByTime(1_000);
    hit(one, 1);
    vi.advanceTimersByTime(500);
    expect(used(two)).toBe(9);
    // A replica that joins later may not receive what was evicted.
    expect([4, 9]).toContain(used(late));
  });
});
