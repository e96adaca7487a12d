import { describe, expect, it } from "vitest";
import { blankComponent, type Component } from "../../src/lattice/component.ts";
import { writeCheckpoints } from "../../src/wire/checkpoint-section.ts";
import { ComponentBatch } from "../../src/wire/component-batch.ts";
import type { PlaceKind } from "../../src/wire/component-section.ts";
import { writeComponents } from "../../src/wire/component-writer.ts";
import { type FrameKind, FrameWriter } from "../../src/wire/frame.ts";
import { writeHeartbeat } from "../../src/wire/heartbeat-section.ts";
import { writeLimiters } from "../../src/wire/limiter-section.ts";
import { writeNotes } from "../../src/wire/note-section.ts";
import { writeAsking, writeHeard, writePage } from "../../src/wire/repair-sections.ts";
import { Seal } from "../../src/wire/seal.ts";

const VECTORS = "./vectors.json";
const SENT_AT_MS = 1_700_000_000_000;
const LIMITER = { limiterLow: 0x0102_0304, limiterHigh: -2, ofLow: 0, ofHigh: 0 };
const seal = new Seal("shop", "a secret");

/** What a vector says, and the frame that says it. */
interface Vector {
  readonly name: string;
  readonly says: unknown;
  readonly frame: string;
}

function vector(
  name: string,
  kind: FrameKind,
  says: unknown,
  write: (writer: FrameWriter) => unknown,
  isSealed = false,
): Vector {
  const writer = new FrameWriter(isSealed);
  const replica = { replicaLow: 0x1111_1111, replicaHigh: 0x2222_2222 };
  writer.begin({ kind, isSealed, tag: seal.tag, ...replica, sentAtMs: SENT_AT_MS, number: 300 });
  write(writer);
  const bytes = Buffer.from(writer.written());
  const frame = isSealed ? Buffer.concat([bytes, seal.of(bytes)]) : bytes;
  return { name, says, frame: frame.toString("hex") };
}

function counts(name: string, places: PlaceKind, said: readonly Partial<Component>[]): Vector {
  const components = said.map((given) => ({ ...blankComponent(), policy: 1, ...given }));
  const batch = new ComponentBatch();
  for (const component of components) batch.add(component);
  batch.sort();
  const names = {
    describe: (opener: number, openedAtMs: number) => ({
      ...{ low: opener, high: -opener },
      agoMs: SENT_AT_MS - openedAtMs,
    }),
  };
  const says = { ...LIMITER, places, components };
  return vector(name, "counts", says, (writer) =>
    writeComponents(writer, { ...LIMITER, policy: 1, places }, batch, 0, names),
  );
}

function vectors(): Vector[] {
  const behind = [{ low: 5, high: 6, number: 299 }];
  const heartbeat = {
    isReady: true,
    upMs: 70_000,
    known: 0xcafe_babe,
    allowed: 2 ** 40,
    refused: 129,
    behind,
  };
  const asking = { low: 5, high: -6, since: 250, others: false };
  const gone = {
    low: 5,
    high: 6,
    upTo: 299,
    clockMs: SENT_AT_MS + 7,
    silentMs: 4_000,
    above: 0x8000_0005,
  };
  const page = { since: 250, upTo: 300, telling: 4, part: 1, parts: 2 };
  const marks = [{ reset: 3, untilMs: SENT_AT_MS, limit: Number.POSITIVE_INFINITY }, undefined];
  const note = { low: 9, high: -9, reset: 7, markReset: 0, marks };
  const level = { low: 9, high: -9, reset: 7, slot: 99, level: 1_500 };
  const opened = SENT_AT_MS - 30_000;
  const names = { name: seal.nameTag("api"), identity: { low: 1, high: 2 } };
  const limiters = [{ ...names, limits: [100, 2 ** 40] }];
  return [
    counts("two windows of one key, and one of another", "window", [
      { low: 1, high: 1, opener: 3, place: opened, hits: 5 },
      { low: 1, high: 1, opener: 4, place: opened + 7, hits: 200, refunds: 2, refusals: 1 },
      { low: 2, high: -1, opener: 3, place: opened - 70_000, hits: 1, generation: 8, reset: 9 },
    ]),
    counts("slots", "place", [
      { low: 1, high: 1, place: 100, hits: 2 ** 33 },
      { low: 1, high: 1, place: 99, hits: 1 },
      { low: 7, high: 1, place: 50, hits: 1 },
    ]),
    counts("a gauge", "none", [{ low: 1, high: 1, hits: 8, refunds: 7 }]),
    vector("resets and a block", "counts", { resetAll: 5, notes: [note] }, (writer) =>
      writeNotes(writer, { low: 1, high: 2 }, 5, [note], 0),
    ),
    vector("the level of a bucket", "page", { page, checkpoints: [level] }, (writer) => {
      writePage(writer, page);
      writeCheckpoints(writer, { low: 1, high: 2, policy: 0 }, [level], 0);
    }),
    vector("that the sender speaks for another", "page", gone, (w) => writeHeard(w, gone)),
    vector("a heartbeat", "heartbeat", heartbeat, (writer) => writeHeartbeat(writer, heartbeat)),
    vector("limiters", "heartbeat", { limiters }, (writer) => writeLimiters(writer, limiters)),
    vector("a question, sealed", "request", asking, (writer) => writeAsking(writer, asking), true),
  ];
}

describe("frames", () => {
  it("are the bytes that the published vectors say, so that other programs can be written", async () => {
    const limiter = { low: LIMITER.limiterLow, high: LIMITER.limiterHigh };
    const file = {
      version: 0,
      namespace: "shop",
      secret: "a secret",
      limiter,
      keySeed: seal.keySeed(limiter),
      tag: seal.tag,
      vectors: vectors(),
    };
    const text = JSON.stringify(file, (_, value) => (value === Infinity ? "Infinity" : value), 2);
    await expect(`${text}\n`).toMatchFileSnapshot(VECTORS);
  });
});
