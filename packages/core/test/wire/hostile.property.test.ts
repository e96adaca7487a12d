import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCheckpoints } from "../../src/wire/checkpoint-section.ts";
import { ComponentReader } from "../../src/wire/component-section.ts";
import { readHeartbeat, readReplyPart, readSyncRequest } from "../../src/wire/control-sections.ts";
import { FRAME_KINDS, FrameReader, FrameWriter } from "../../src/wire/frame.ts";
import { readNotes } from "../../src/wire/note-section.ts";

/**
 * Reads a frame with everything that could be in it; returns how many entries it claimed to hold.
 */
function readAll(bytes: Uint8Array): number {
  const reader = new FrameReader(bytes);
  if (reader.readHeader() !== undefined) return 0;
  let things = 0;
  const components = new ComponentReader();
  for (let type = reader.nextSection(); type !== undefined; type = reader.nextSection()) {
    if (type % 6 === 1) {
      const sink = { counter: () => 1, opener: () => ++things, component: () => things++ };
      Array.from(components.read(reader, sink, 5));
    }
    if (type % 6 === 2)
      Array.from(readNotes(reader, { limiter: () => true, note: () => things++ }));
    if (type % 6 === 3) {
      Array.from(readCheckpoints(reader, { wants: () => true, checkpoint: () => things++ }));
    }
    if (type % 6 === 4) things += readHeartbeat(reader)?.behind.length ?? 0;
    if (type % 6 === 5 && readSyncRequest(reader) !== undefined) things++;
    if (type % 6 === 0 && readReplyPart(reader) !== undefined) things++;
    if (reader.isBroken) break;
  }
  return things;
}

const section = fc.tuple(fc.nat({ max: 11 }), fc.uint8Array({ maxLength: 200 }));

describe("random bytes", () => {
  it("are a frame or a reason why not: they never throw, and claim no more than the bytes could hold", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(readAll(bytes)).toBeLessThanOrEqual(bytes.length);
      }),
      seededRuns(2_000),
    );
  });

  it("in sections of a valid frame do no harm either", () => {
    fc.assert(
      fc.property(fc.array(section, { maxLength: 6 }), fc.nat({ max: 5 }), (sections, kind) => {
        const writer = new FrameWriter(false);
        const who = { tag: 1, replica: { low: 2, high: 3 } };
        const header = { kind: FRAME_KINDS[kind]!, isSealed: false, ...who };
        writer.begin({ ...header, sentAtMs: 5, number: 6 });
        for (const [type, bytes] of sections) {
          writer.beginSection(type, bytes.length);
          for (const byte of bytes) writer.u8(byte);
          writer.endSection();
        }
        expect(readAll(writer.written())).toBeLessThanOrEqual(writer.position);
      }),
      seededRuns(3_000),
    );
  });
});

describe("the header of a frame", () => {
  const writer = new FrameWriter(false);
  const replica = { low: 2, high: 3 };
  writer.begin({ kind: "hello", isSealed: false, tag: 1, replica, sentAtMs: 5, number: 6 });
  const hello = writer.written().slice();
  const faultWith = (at: number, byte: number): unknown =>
    new FrameReader(Uint8Array.from(hello).fill(byte, at, at + 1)).readHeader();

  it.each([
    ["a frame as it was written", 3, 4, undefined],
    ["another first byte", 0, 0x75, "malformed"],
    ["another second byte", 1, 0x68, "malformed"],
    ["another version", 2, 1, "version"],
    ["an unknown kind", 3, 6, "malformed"],
    ["unknown flags", 4, 4, "malformed"],
    ["a seal that does not fit behind it", 4, 1, "malformed"],
  ])("is judged: %s", (_, at, byte, fault) => {
    expect(faultWith(at, byte)).toBe(fault);
  });

  it("is malformed if the frame ends before it does", () => {
    for (let length = 0; length < hello.length; length++) {
      expect(new FrameReader(hello.subarray(0, length)).readHeader()).toBe("malformed");
    }
  });
});
