import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenBucket } from "../../../src/policies/bucket.ts";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { slidingLog } from "../../../src/policies/sliding-log.ts";
import { slidingWindow } from "../../../src/policies/sliding-window.ts";
import { FRAME_KINDS, FrameWriter } from "../../../src/wire/frame.ts";
import { hit } from "../tapped-cluster.ts";
import { TappedFleet, type TappedProcess } from "../tapped-fleet.ts";

const MAX_KEYS = 50;
const policies = [
  fixedWindow({ limit: 1_000, windowMs: 60_000 }),
  fixedWindow({ name: "aligned", limit: 1_000, windowMs: 60_000, align: true }),
  slidingWindow({ limit: 1_000, windowMs: 60_000 }),
  slidingLog({ limit: 1_000, windowMs: 60_000 }),
  tokenBucket({ capacity: 1_000, refillPerSecond: 1 }),
  concurrency({ limit: 1_000 }),
];

/** A cluster of three with some of everything in it, and all of its frames. */
function busy(secret?: string): [TappedFleet, TappedProcess[]] {
  const cluster = new TappedFleet({ secret });
  const members = [0, 1, 2].map(() =>
    cluster.add({ policy: undefined, policies, maxKeys: MAX_KEYS }),
  );
  cluster.pass(1_000);
  for (const member of members) for (const key of ["ada", "bob"]) hit(member, 5, key);
  cluster.pass(300);
  members[0]!.limiter.reset("bob");
  members[1]!.limiter.block("cleo", 10_000);
  const late = cluster.add({ policy: undefined, policies, maxKeys: MAX_KEYS });
  cluster.pass(1_000);
  return [cluster, [...members, late]];
}

/** Reads a frame with nothing around it that would catch what it throws. */
function receive(members: readonly TappedProcess[], frame: Uint8Array): void {
  for (const { replica } of members) {
    const now = replica.clock.now();
    replica.step({ type: "frame", frame: frame.slice() }, now);
    while (replica.work(1, now));
  }
}

function expectBounds(members: readonly TappedProcess[]): void {
  for (const { cluster, limiter } of members) {
    expect(cluster.status().peers.length).toBeLessThanOrEqual(4_096);
    expect(limiter.status().keys).toBeLessThanOrEqual(MAX_KEYS);
  }
}

const anything = fc.uint8Array({ maxLength: 400 });

/**
 * A frame of the cluster, changed in some places: a byte, or a stretch left out or put in twice.
 */
const change = fc.record({
  which: fc.nat(),
  edits: fc.array(
    fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }), kind: fc.nat({ max: 3 }) }),
    { minLength: 1, maxLength: 6 },
  ),
});

function changed(frame: Uint8Array, edits: readonly { at: number; byte: number; kind: number }[]) {
  let bytes = Array.from(frame);
  for (const { at, byte, kind } of edits) {
    const period = at % Math.max(1, bytes.length);
    if (kind < 2) bytes[period] = byte;
    else if (kind === 2) bytes.splice(period, byte % 16);
    else bytes = [...bytes, ...bytes.slice(period, period + byte)];
  }
  return Uint8Array.from(bytes);
}

const section = fc.tuple(fc.nat({ max: 8 }), fc.uint8Array({ maxLength: 200 }));

describe("a cluster that receives hostile frames", () => {
  it("goes on, and stays within its bounds: any bytes", () => {
    const [cluster, members] = busy();
    fc.assert(
      fc.property(anything, (bytes) => {
        receive(members, bytes);
        cluster.pass(5);
      }),
      seededRuns(500),
    );
    cluster.pass(5_000);
    expectBounds(members);
  });

  it("goes on, and stays within its bounds: its own frames, changed", () => {
    const [cluster, members] = busy();
    const frames = cluster.overheard.map(({ frame }) => frame);
    fc.assert(
      fc.property(change, ({ which, edits }) => {
        receive(members, changed(frames[which % frames.length]!, edits));
        cluster.pass(5);
        expectBounds(members);
      }),
      seededRuns(500),
    );
    // What they said may be wrong for as long as it lasts, and no longer.
    cluster.pass(400_000);
    for (const { limiter } of members) expect(() => limiter.check("ada")).not.toThrow();
    expectBounds(members);
  });

  it("goes on, and stays within its bounds: sections of all types with random content", () => {
    const [cluster, members] = busy();
    const { tag } = members[0]!.replica.seal;
    const parts = fc.tuple(
      fc.array(section, { maxLength: 5 }),
      fc.nat({ max: 5 }),
      fc.nat({ max: 9 }),
    );
    fc.assert(
      fc.property(parts, ([sections, kind, who]) => {
        const writer = new FrameWriter(false);
        const sender = { tag, replica: { low: who, high: 7 }, number: who };
        const header = { kind: FRAME_KINDS[kind]!, isSealed: false };
        writer.begin({ ...header, ...sender, sentAtMs: members[0]!.replica.clock.rawNow() });
        for (const [type, bytes] of sections) {
          writer.beginSection(type, bytes.length);
          for (const byte of bytes) writer.u8(byte);
          writer.endSection();
        }
        receive(members, writer.written());
        cluster.pass(5);
      }),
      seededRuns(500),
    );
    cluster.pass(20_000);
    const sent = (): number[] => members.map(({ cluster: joined }) => joined.status().frames.sent);
    const before = sent();
    cluster.pass(100_000);
    // A heartbeat each second, and the last requests: no echo that feeds on itself.
    sent().forEach((frames, index) => {
      expect((frames - before[index]!) / 100).toBeLessThan(20);
    });
    expectBounds(members);
  });

  it("changes nothing because of them if it has a secret", () => {
    const [cluster, members] = busy("a secret of these processes");
    const frames = cluster.overheard.map(({ frame }) => frame);
    const seen = (): unknown =>
      members.map(({ limiter, cluster: joined }) => [
        ["ada", "bob"].map((key) => limiter.inspect(key).results.map(({ used }) => used)),
        joined.status().peers.map(({ replica, isAlive }) => [replica, isAlive]),
      ]);
    const before = seen();
    fc.assert(
      fc.property(change, anything, ({ which, edits }, bytes) => {
        const frame = frames[which % frames.length]!;
        const made = changed(frame, edits);
        fc.pre(!frames.some((known) => Buffer.compare(known, made) === 0));
        receive(members, made);
        receive(members, bytes);
      }),
      seededRuns(500),
    );
    expect(seen()).toEqual(before);
  });
});
