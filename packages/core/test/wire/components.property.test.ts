import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blankComponent, type Component } from "../../src/crdt/component.ts";
import { FRAME_BYTES_MAX, FRAME_BYTES_MIN } from "../../src/transport/transport.ts";
import { BATCH_MAX, ComponentBatch } from "../../src/wire/component-batch.ts";
import {
  type ComponentHead,
  ComponentReader,
  type ComponentSink,
  PERIOD_ENCODINGS,
  type PeriodEncoding,
  writeComponents,
} from "../../src/wire/component-section.ts";
import { type FrameHeader, FrameReader, FrameWriter, SECTIONS } from "../../src/wire/frame.ts";
import { expectAtMost, expectEqual } from "../quick-expectation.ts";

const SENDER = 7;

const header: FrameHeader = {
  kind: "counts",
  isSealed: false,
  tag: 0xdead_beef,
  replica: { low: -5, high: 123_456 },
  sentAtMs: 1_700_000_000_123,
  number: 42,
};

const isCount = (number: number): boolean => Number.isSafeInteger(number) && number >= 0;

/** The id of an opener, and how its clock is ahead of the sender's. */
const nameOpener = (opener: number, openedAtMs: number) => ({
  low: opener * 3,
  high: ~opener,
  agoMs: header.sentAtMs - openedAtMs - opener * 1_000,
});

function headOf(encoding: PeriodEncoding): ComponentHead {
  return { limiter: { low: 11, high: -12 }, of: { low: 0, high: 0 }, policy: 2, encoding };
}

/** Writes components into as many frames as they need, each a copy. */
function framesOf(encoding: PeriodEncoding, components: readonly Component[]): Uint8Array[] {
  const batch = new ComponentBatch();
  for (const component of components) batch.add(component);
  batch.sort();
  const writer = new FrameWriter(false);
  const frames: Uint8Array[] = [];
  for (let next = 0; next < batch.size; ) {
    writer.begin(header);
    for (let before = -1; before !== next && next < batch.size; ) {
      before = next;
      next = writeComponents(writer, headOf(encoding), batch, next, nameOpener);
    }
    frames.push(writer.written().slice());
  }
  return frames;
}

function read(
  frame: Uint8Array,
  isGenuine = true,
): { components: Component[]; reader: FrameReader; fault: unknown } {
  const reader = new FrameReader(frame);
  const components: Component[] = [];
  const fault = reader.readHeader();
  if (fault !== undefined) return { components, reader, fault };
  const decoder = new ComponentReader();
  for (let type = reader.nextSection(); type !== undefined; type = reader.nextSection()) {
    if (type !== SECTIONS.components) continue;
    const sink: ComponentSink = {
      counter: () => SENDER,
      opener: (low, high, baseMs, agoMs) => {
        const opener = ~high;
        // The id of an opener travels with it.
        if (isGenuine) expect({ low, high, agoMs }).toEqual(nameOpener(opener, baseMs));
        return opener;
      },
      component: (component) => components.push({ ...component }),
    };
    // Where the slices end makes no difference.
    Array.from(decoder.read(reader, sink, 7));
    if (reader.isBroken) break;
  }
  return { components, reader, fault };
}

const count = fc.oneof(fc.nat({ max: 200 }), fc.maxSafeNat());
const half = fc.oneof(fc.integer(), fc.constantFrom(0, -1, 1, 2 ** 31 - 1, -(2 ** 31)));

function components(encoding: PeriodEncoding): fc.Arbitrary<Component[]> {
  const component = fc
    .record({
      low: half,
      high: fc.oneof(half, fc.nat({ max: 3 })),
      opener: encoding === "window" ? fc.nat({ max: 40 }) : fc.constant(SENDER),
      period:
        encoding === "none"
          ? fc.constant(0)
          : fc.oneof(
              fc.nat({ max: 9 }),
              fc.nat({ max: 2 ** 31 - 1 }),
              fc.maxSafeNat().map((time) => Math.floor(time / 4)),
            ),
      generation: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, count),
      reset: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, count),
      hits: count,
      refunds: count,
      refusals: fc.oneof(fc.constant(0), count),
    })
    .map((drawn) => ({
      ...drawn,
      ...{ policy: 2, replica: SENDER, refunds: Math.min(drawn.refunds, drawn.hits) },
    }));
  return fc.array(component, { minLength: 1, maxLength: 60, size: "max" });
}

function byKey(left: Component, right: Component): number {
  return (left.high >>> 0) - (right.high >>> 0) || (left.low >>> 0) - (right.low >>> 0);
}

describe("components in a frame", () => {
  it.each(PERIOD_ENCODINGS)(
    "arrive as they were, ordered by key, with the period of a %s",
    (encoding) => {
      fc.assert(
        fc.property(components(encoding), (given) => {
          const arrived = framesOf(encoding, given).flatMap((frame) => {
            const { components: heard, reader, fault } = read(frame);
            expect([fault, reader.isBroken]).toEqual([undefined, false]);
            return heard;
          });
          expect(arrived).toEqual([...given].sort(byKey));
        }),
        seededRuns(300),
      );
    },
  );

  it("fill frames to the last and no further", () => {
    const given = Array.from({ length: BATCH_MAX }, (_, index) => ({
      ...{ low: Math.imul(index, 0x9e37_79b1), high: Math.imul(index, 0x85eb_ca6b) },
      ...{ policy: 2, replica: SENDER, generation: index, reset: 0, opener: index % 300 },
      ...{
        period: 1_700_000_000_000 + index * 997,
        hits: 2 ** 40 + index,
        refunds: 1,
        refusals: 2,
      },
    }));
    const frames = framesOf("window", given);
    for (const frame of frames) expectAtMost(frame.length, FRAME_BYTES_MAX);
    expect(frames.length).toBeGreaterThan(1);
    expect(frames.flatMap((frame) => read(frame).components)).toEqual([...given].sort(byKey));
  });

  it("name no more openers than leave room for an entry, however short a frame is", () => {
    const batch = new ComponentBatch();
    for (let opener = 1; opener <= 200; opener++) {
      const named = { ...blankComponent(), low: opener, opener, period: 1_700_000_000_000 };
      batch.add({ ...named, hits: 1 });
    }
    batch.sort();
    const writer = new FrameWriter(false);
    writer.bytesMax = FRAME_BYTES_MIN;
    let frames = 0;
    for (let next = 0; next < batch.size; frames++) {
      const before = next;
      writer.begin(header);
      next = writeComponents(writer, headOf("window"), batch, next, nameOpener);
      expect(next).toBeGreaterThan(before);
      expect(writer.position).toBeLessThanOrEqual(FRAME_BYTES_MIN);
    }
    expect(frames).toBeGreaterThan(5);
  });

  it("of random bytes never throw, and claim no more than the bytes could hold", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PERIOD_ENCODINGS).chain(components),
        fc.constantFrom(...PERIOD_ENCODINGS),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 8 }),
        fc.nat(),
        (given, encoding, changes, cut) => {
          const [frame] = framesOf(encoding, given);
          const bytes = frame!.slice(0, cut % 3 === 0 ? cut % (frame!.length + 1) : frame!.length);
          for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value;
          const { components: heard } = read(bytes, false);
          expect(heard.length).toBeLessThanOrEqual(bytes.length / 2);
          for (const component of heard) {
            const { period, hits, refunds, refusals, generation, reset } = component;
            const numbers = [period, hits, refunds, refusals, generation, reset];
            expectEqual(
              numbers.filter((number) => !isCount(number)),
              [],
            );
            expectAtMost(refunds, hits);
          }
        },
      ),
      seededRuns(1_000),
    );
  });
});
