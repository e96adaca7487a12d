import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readCheckpoints,
  type WireCheckpoint,
  writeCheckpoints,
} from "../../src/wire/checkpoint-section.ts";
import {
  readFormer,
  readHeartbeat,
  readLimiters,
  readReplicaReport,
  readReplyPart,
  readSyncRequest,
  writeFormer,
  writeHeartbeat,
  writeLimiters,
  writeReplicaReport,
  writeReplyPart,
  writeSyncRequest,
} from "../../src/wire/control-sections.ts";
import {
  type FrameHeader,
  type FrameKind,
  FrameReader,
  FrameWriter,
} from "../../src/wire/frame.ts";
import { readNotes, type WireNote, writeNotes } from "../../src/wire/note-section.ts";

function headerOf(kind: FrameKind): FrameHeader {
  return {
    ...{ kind, isSealed: false, isUnrepeated: false, tag: 7, number: 9 },
    ...{ replica: { low: -1, high: 2 }, sentAtMs: 1_700_000_000_000 },
  };
}

/** A reader at the first section of a frame with what `write` puts into it. */
function written(kind: FrameKind, write: (writer: FrameWriter) => void): FrameReader {
  const writer = new FrameWriter(false);
  writer.begin(headerOf(kind));
  write(writer);
  const reader = new FrameReader(writer.written().slice());
  expect(reader.readHeader()).toBeUndefined();
  expect(reader.header).toEqual(headerOf(kind));
  expect(reader.nextSection()).toBeDefined();
  return reader;
}

const half = fc.integer();
const time = fc.nat({ max: 2 ** 31 - 1 }).map((ms) => ms * 1_000);
const mark = fc.record({
  reset: time,
  untilMs: time,
  limit: fc.oneof(fc.nat(), fc.constant(Number.POSITIVE_INFINITY)),
});
const note: fc.Arbitrary<WireNote> = fc.record({
  ...{ low: half, high: half, reset: time, markReset: time },
  marks: fc.tuple(...[0, 1, 2].map(() => fc.option(mark, { nil: undefined }))),
});
const checkpoint: fc.Arbitrary<WireCheckpoint> = fc.record({
  ...{ low: half, high: half, reset: time, slot: time },
  level: fc.nat({ max: 2 ** 40 }),
});

describe("sections of a frame", () => {
  it("carry resets and marks unchanged, over as many frames as they need", () => {
    fc.assert(
      fc.property(fc.array(note, { maxLength: 40 }), time, (notes, resetAll) => {
        const heard: WireNote[] = [];
        const reader = written("counts", (writer) => {
          expect(writeNotes(writer, { low: 3, high: -4 }, resetAll, notes, 0)).toBe(notes.length);
        });
        const reading = readNotes(reader, {
          limiter: (...given) => given.join() === [3, -4, resetAll].join(),
          note: (given) => heard.push(given),
        });
        expect(Array.from(reading).length).toBe(Math.floor(notes.length / 32));
        expect([heard, reader.isBroken]).toEqual([notes, false]);
      }),
      seededRuns(200),
    );
  });

  it("return how far they got when a frame is full", () => {
    const one = { low: 1, high: 2, reset: 2 ** 50, markReset: 2 ** 50, marks: [] };
    const notes = Array.from({ length: 10_000 }, () => one);
    const writer = new FrameWriter(true);
    let frames = 0;
    for (let next = 0; next < notes.length; frames++) {
      writer.begin(headerOf("counts"));
      next = writeNotes(writer, { low: 3, high: -4 }, 0, notes, next);
      expect(writer.hasRoom(0)).toBe(true);
    }
    expect(frames).toBeGreaterThan(3);
  });

  it("carry levels of buckets unchanged", () => {
    fc.assert(
      fc.property(fc.array(checkpoint, { minLength: 1, maxLength: 40 }), (checkpoints) => {
        const heard: WireCheckpoint[] = [];
        const reader = written("counts", (writer) => {
          expect(writeCheckpoints(writer, { low: 3, high: -4 }, 1, checkpoints, 0)).toBe(
            checkpoints.length,
          );
        });
        const reading = readCheckpoints(reader, {
          wants: (...given) => given.join() === "3,-4,1",
          checkpoint: (given) => heard.push(given),
        });
        expect(Array.from(reading).length).toBe(Math.floor(checkpoints.length / 32));
        expect([heard, reader.isBroken]).toEqual([checkpoints, false]);
      }),
      seededRuns(200),
    );
  });

  it("carry heartbeats, sync requests and parts of replies unchanged", () => {
    const behind = [0, 1, 2, 3].map((low) => ({ low, high: ~low, number: low * 1_000 }));
    const counts = { allowed: 2 ** 45, refused: 3 };
    const heartbeat = {
      isReady: false,
      joinedForMs: 86_400_000,
      checksum: 0xffff_ffff,
      ...counts,
      behind,
      unsentAgeMs: 300,
    };
    const heard = readHeartbeat(
      written("heartbeat", (writer) => writeHeartbeat(writer, heartbeat)),
    );
    expect(heard).toEqual(heartbeat);

    const limiters = [0, 1, 2].map((low) => ({
      name: { low, high: -low - 1 },
      identity: { low: ~low, high: low },
      limits: [100, 2 ** 50].slice(0, 1 + (low % 2)),
    }));
    const told = written("heartbeat", (writer) => {
      writeLimiters(writer, limiters);
      return true;
    });
    expect(readLimiters(told)).toEqual(limiters);

    const request = { low: -7, high: 8, since: 99, others: true };
    expect(
      readSyncRequest(written("request", (writer) => writeSyncRequest(writer, request))),
    ).toEqual(request);

    const gone = {
      low: 7,
      high: -8,
      upTo: 12,
      clockMs: 1_700_000_000_000,
      silentMs: 4_000,
      above: 0xa000_0001,
    };
    expect(
      readReplicaReport(written("reply", (writer) => writeReplicaReport(writer, gone))),
    ).toEqual(gone);
    // Frames above would have numbers that are not exact, or overflow.
    for (const upTo of [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 32]) {
      const far = written("reply", (writer) => writeReplicaReport(writer, { ...gone, upTo }));
      expect(readReplicaReport(far)).toBeUndefined();
    }

    const former = { low: 5, high: -6, upTo: 299 };
    const frame = written("hello", (writer) => writeFormer(writer, former));
    expect(readFormer(frame)).toEqual(former);

    const part = { since: 5, upTo: 70, replyNumber: 4, part: 2, parts: 3, hasAllPermits: true };
    expect(readReplyPart(written("reply", (writer) => writeReplyPart(writer, part)))).toEqual(part);
  });

  it("of heartbeats may have more fields than a reader knows, and name no more than four replicas", () => {
    const before = [1, 1, 3, 0, 0, 0, 4, 5];
    const named = [1, 0, 0, 0, 2, 0, 0, 0, 3];
    const behind = { low: 1, high: 2, number: 3 };
    const times = { joinedForMs: 1, checksum: 3, unsentAgeMs: 6 };
    const read = (bytes: readonly number[]): unknown =>
      readHeartbeat(
        written("heartbeat", (writer) => {
          expect(writer.beginSection(4, bytes.length)).toBe(true);
          for (const byte of bytes) writer.u8(byte);
          writer.endSection();
        }),
      );
    const withNamed = (count: number): number[] => [
      ...before,
      count,
      ...Array.from({ length: count }, () => named).flat(),
    ];
    const heartbeat = { isReady: true, ...times, allowed: 4, refused: 5 };
    for (const later of [[], [1, 2, 3]]) {
      expect(read([...withNamed(0), 6, ...later])).toEqual({ ...heartbeat, behind: [] });
      expect(read([...withNamed(4), 6, ...later])).toEqual({
        ...heartbeat,
        behind: [behind, behind, behind, behind],
      });
    }
    expect(read(withNamed(1))).toBeUndefined();
    expect(read([...withNamed(5), 6])).toBeUndefined();
  });

  it("with impossible values are no parts of replies", () => {
    const possible = { since: 5, upTo: 70, replyNumber: 4, part: 2, parts: 3, hasAllPermits: true };
    const impossible = [{ since: 71 }, { part: 3 }, { parts: 4 }, { part: 2 ** 30, parts: 0 }];
    for (const change of impossible) {
      const reader = written("reply", (writer) =>
        writeReplyPart(writer, { ...possible, ...change }),
      );
      expect(readReplyPart(reader)).toBeUndefined();
    }
  });

  it("unknown to a reader are skipped, and the section after them is read", () => {
    const request = { low: -7, high: 8, since: 99, others: true };
    const reader = written("request", (writer) => {
      expect(writer.beginSection(200, 3)).toBe(true);
      for (const byte of [1, 2, 3]) writer.u8(byte);
      writer.endSection();
      writeSyncRequest(writer, request);
    });
    expect(reader.nextSection()).toBe(5);
    expect(readSyncRequest(reader)).toEqual(request);
    expect([reader.nextSection(), reader.isBroken]).toEqual([undefined, false]);
  });
});
