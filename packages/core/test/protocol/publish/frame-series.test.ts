import { describe, expect, it } from "vitest";
import { Envelope } from "../../../src/protocol/envelope.ts";
import { FrameSeries } from "../../../src/protocol/publish/frame-series.ts";
import { Replicas } from "../../../src/store/replicas/replicas.ts";
import { readReplyPart } from "../../../src/wire/control-sections.ts";
import { FrameReader, SECTIONS } from "../../../src/wire/frame.ts";
import { Seal } from "../../../src/wire/seal.ts";

const LIMITER = { low: 1, high: 2 };
const HEAD = {
  limiter: LIMITER,
  of: { low: 0, high: 0 },
  policy: 0,
  encoding: "none",
} as const;
const COMPONENT = {
  ...{ low: 5, high: 6, policy: 0, replica: 0, generation: 0, reset: 0, opener: 0, period: 0 },
  ...{ hits: 1, refunds: 0, refusals: 0 },
};
const NOTE = { low: 3, high: 4, reset: 1_000, markReset: 0, marks: [] };
const CHECKPOINT = { low: 3, high: 4, reset: 0, slot: 7, level: 2 };

/** Writes frames of at most so many bytes, and returns them. */
function seriesOf(bytesMax: number): { series: FrameSeries; frames: Uint8Array[] } {
  const replicas = new Replicas("0123456789abcdef");
  const envelope = new Envelope(new Seal("shop", undefined), replicas, { maxPayload: 0 } as never);
  const { begin } = envelope;
  envelope.begin = (...header) => {
    const writer = begin.apply(envelope, header);
    writer.bytesMax = bytesMax;
    return writer;
  };
  const frames: Uint8Array[] = [];
  const lane = { push: (frame: Uint8Array) => frames.push(frame) };
  const context = { clock: { rawNow: () => 1_790_000_000_000 }, sender: { series: 0 } };
  const nameOpener = () => ({ low: 0, high: 0, agoMs: 0 });
  const series = new FrameSeries(context as never, envelope, lane as never, nameOpener);
  series.begin({ kind: "counts", since: 0, upTo: 1 });
  return { series, frames };
}

/** Writes something of each kind, many times. */
function say(series: FrameSeries): void {
  series.section(HEAD);
  for (let low = 0; low < 50; low++) series.component({ ...COMPONENT, low }, 0);
  series.notes(LIMITER, 1_000, Array(100).fill(NOTE));
  series.notes(LIMITER, 1_000, []);
  series.checkpoints(LIMITER, 0, Array(100).fill(CHECKPOINT));
  series.end();
}

/** Which part a frame says that it is, and of how many. */
function partOf(frame: Uint8Array): [number, number] | undefined {
  const reader = new FrameReader(frame);
  reader.readHeader();
  for (let type = reader.nextSection(); type !== undefined; type = reader.nextSection()) {
    if (type !== SECTIONS.replyPart) continue;
    const { part, parts } = readReplyPart(reader)!;
    return [part, parts];
  }
  return undefined;
}

describe("a series of frames", () => {
  it("takes as many frames as its content needs", () => {
    const { series, frames } = seriesOf(512);
    say(series);
    expect(frames.length).toBeGreaterThan(3);
    expect(frames.length).toBeLessThan(50);
    expect(frames.every(({ length }) => length <= 512)).toBe(true);
  });

  it("names the part in each frame, and the number of parts in the last one alone", () => {
    const { series, frames } = seriesOf(512);
    say(series);
    const due = frames.map((_, part) => [part, part === frames.length - 1 ? frames.length : 0]);
    expect(frames.map(partOf)).toEqual(due);
  });

  it.each([100, Number.NaN])("drops what does not fit an empty frame of %d bytes", (bytesMax) => {
    const { series, frames } = seriesOf(bytesMax);
    say(series);
    expect(frames.length).toBe(1);
  });
});
