import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { slidingWindow } from "../../../src/policies/sliding-window.ts";
import { halvesOf } from "../../../src/protocol/membership/replica-id.ts";
import { FRAME_KINDS, FrameWriter, SECTIONS } from "../../../src/wire/frame.ts";
import { hit, TappedCluster, type TappedMember, used } from "../tapped-cluster.ts";

const START_MS = 1_790_000_000_000;
const STRANGER = halvesOf("0123456789abcdef");

let cluster: TappedCluster;
let said: string[];

function take(event: unknown): void {
  said.push((event as { message: string }).message);
}

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
  cluster = new TappedCluster();
  said = [];
  subscribe("tidegate:cluster", take);
});

afterEach(() => {
  unsubscribe("tidegate:cluster", take);
  vi.useRealTimers();
});

/** Sends one made-up section, in frames of this member's cluster. */
function make(
  { replica }: TappedMember,
  fill: (writer: FrameWriter) => void,
  { low, high } = STRANGER,
): void {
  const writer = new FrameWriter(false);
  writer.begin({
    ...{ kind: FRAME_KINDS[0], isSealed: false, tag: replica.seal.tag },
    ...{ replica: { low, high }, sentAtMs: Date.now(), number: 1 },
  });
  fill(writer);
  cluster.say(writer.written().slice());
  vi.advanceTimersByTime(10);
}

interface MadeUp {
  readonly key?: number;
  readonly hits?: number;
  readonly refunds?: number;
  readonly generation?: number;
  readonly reset?: number;
  readonly policy?: number;
  /** How long before the sender's now its window was opened. */
  readonly agoMs?: number;
}

/** Counts of one key in a window that the sender opened. */
function counts(member: TappedMember, madeUp: MadeUp): (writer: FrameWriter) => void {
  const { key = 1, hits = 1, refunds = 0, generation = 0, reset = 0, policy = 0 } = madeUp;
  const { agoMs = 0 } = madeUp;
  const share = Array.from(member.replica.replicatedLimiters.all())[0]!;
  return (writer) => {
    writer.beginSection(SECTIONS.components, 100);
    writer.halves(share.identity.low, share.identity.high, 8);
    writer.halves(0, 0, 8);
    for (const byte of [policy, 0, 8, 0]) writer.u8(byte);
    for (const number of [generation, reset, 0]) writer.varint(number);
    writer.u8(1);
    writer.halves(STRANGER.low, STRANGER.high, 8);
    writer.varint(Date.now() - agoMs);
    writer.varint(Math.abs(agoMs) * 2 - (agoMs < 0 ? 1 : 0));
    writer.u8(refunds > 0 ? 32 : 0);
    writer.halves(key, 0, 8);
    writer.varint(0);
    writer.varint(hits);
    if (refunds > 0) writer.varint(refunds);
    writer.endSection();
  };
}

describe("what is received and not merged", () => {
  it("is counted by its reason: of single keys", () => {
    const member = cluster.add({}, { maxKeys: 4 });
    vi.advanceTimersByTime(1_000);
    const send = (madeUp: MadeUp): void => make(member, counts(member, madeUp));
    send({ hits: 7 });
    expect(member.cluster.status().refused).toEqual({});
    send({ key: 2, agoMs: 61_000 });
    send({ key: 2, agoMs: -61_000 });
    send({ key: 2, policy: 1 });
    send({ key: 2, reset: Date.now() + 11 * 60_000 });
    member.limiter.resetAll();
    send({ key: 2 });
    send({ key: 2, reset: Date.now() });
    for (let key = 3; key < 9; key++) send({ key, reset: Date.now() });
    expect(member.cluster.status().refused).toEqual({
      over: 1,
      ahead: 1,
      impossible: 1,
      farReset: 1,
      beforeReset: 1,
      tooManyKeys: expect.any(Number),
    });
    expect(member.limiter.status().keys).toBeLessThanOrEqual(4);
  });

  it("is counted by its reason: more refunds than hits make a frame malformed", () => {
    const member = cluster.add();
    vi.advanceTimersByTime(1_000);
    make(member, counts(member, { hits: 1, refunds: 2 }));
    expect(member.cluster.status().frames.refused).toMatchObject({ malformed: 1 });
  });

  it("is counted by its reason: more counts of one key than any history makes", () => {
    const member = cluster.add();
    vi.advanceTimersByTime(1_000);
    for (let generation = 0; generation < 4_200; generation++) {
      make(member, counts(member, { generation }));
    }
    expect(member.cluster.status().refused).toEqual({ tooManyComponents: 4_200 - 1_024 });
  });

  it("is counted by its reason: limiters that are not here, and reports on live replicas", () => {
    const [one, two] = [cluster.add(), cluster.add({}, { name: "other" })];
    vi.advanceTimersByTime(1_000);
    hit(two, 3);
    vi.advanceTimersByTime(500);
    expect(one.cluster.status().refused["unknownLimiter"]).toBeGreaterThan(0);
    const share = Array.from(one.replica.replicatedLimiters.all())[0]!;
    const { replica } = two.cluster.status();
    make(one, (writer) => {
      writer.beginSection(SECTIONS.components, 100);
      writer.halves(share.identity.low, share.identity.high, 8);
      writer.halves(halvesOf(replica).low, halvesOf(replica).high, 8);
      for (const byte of [0, 0, 8, 0]) writer.u8(byte);
      for (const number of [0, 0, 0]) writer.varint(number);
      writer.endSection();
    });
    expect(one.cluster.status().refused["thirdParty"]).toBe(1);
  });

  it("is counted by its reason: whole frames", () => {
    const member = cluster.add();
    vi.advanceTimersByTime(1_000);
    const { frames } = member.cluster.status();
    expect(frames.refused).toEqual({ own: expect.any(Number) });
    cluster.say(new Uint8Array([1, 2, 3]));
    const own = cluster.overheard[0]!.frame;
    const change = (at: number): void => {
      const changed = own.slice();
      changed[at]! ^= 0x40;
      cluster.say(changed);
    };
    change(2);
    change(5);
    make(member, (writer) => {
      writer.beginSection(SECTIONS.heartbeat, 1);
      writer.u8(0);
      writer.endSection();
    });
    expect(member.cluster.status().frames.refused).toMatchObject({
      malformed: 2,
      version: 1,
      foreign: 1,
    });
    const { replica } = member.cluster.status();
    expect(said.find((sentence) => sentence.includes("another namespace"))).toContain(
      `to each other cluster. They name replica ${replica}: 'status().replica' says which`,
    );
  });

  it("is reported once, if it should never happen, however often it does", () => {
    const member = cluster.add();
    vi.advanceTimersByTime(1_000);
    for (let time = 0; time < 20; time++) {
      cluster.say(new Uint8Array([1, 2, 3]));
      make(member, counts(member, { agoMs: 61_000 }));
      make(member, counts(member, { agoMs: -61_000 }));
    }
    expect(said.filter((sentence) => sentence.includes("tidegate did not write"))).toHaveLength(1);
    expect(said.filter((sentence) => sentence.includes("times in the future"))).toHaveLength(1);
    expect(said).toHaveLength(2);
    expect(member.cluster.status()).toMatchObject({
      refused: { over: 20, ahead: 20 },
      troubles: 2,
    });
  });

  it("is nothing at all in normal operation", () => {
    const policy = slidingWindow({ limit: 100, windowMs: 60_000 });
    const members = [cluster.add({}, { policy }), cluster.add({}, { policy })];
    vi.advanceTimersByTime(1_000);
    for (const member of members) hit(member, 10);
    vi.advanceTimersByTime(5_000);
    expect(members.map((member) => used(member))).toEqual([20, 20]);
    for (const { cluster: joined } of members) {
      expect(joined.status().refused).toEqual({});
      expect(Object.keys(joined.status().frames.refused)).toEqual(["own"]);
    }
    expect(said).toEqual([]);
  });
});
