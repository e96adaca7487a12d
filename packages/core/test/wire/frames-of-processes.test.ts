import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLimiter } from "../../src/limiter/limiter.ts";
import { tokenBucket } from "../../src/policies/bucket.ts";
import { concurrency } from "../../src/policies/concurrency.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { slidingLog } from "../../src/policies/sliding-log.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import { TappedCluster } from "../cluster/tapped-cluster.ts";
import {
  clusterKeys,
  fingerprintOf,
  identityOf,
  meaningOf,
  nameOf,
  seedOf,
} from "./plain-names.ts";
import { readFrame } from "./plain-reader.ts";

const START_MS = 1_790_000_000_123;
const SECRET = "thirty-two bytes, drawn at random";
const MINUTE = { limit: 100, windowMs: 60_000 };
const DAY = { limit: 100, calendar: "day" } as const;
const BUCKET = { capacity: 50, refillPerSecond: 5 };
const SENDER = "0".repeat(16);

interface Section {
  readonly type: number;
  readonly limiter: string;
  readonly of: string;
  readonly policy: number;
  readonly encoding: number;
  readonly limiters: readonly unknown[];
  readonly notes: readonly Record<string, unknown>[];
  readonly entries: readonly { readonly key: string; readonly hits: number }[];
}

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
});

afterEach(() => {
  vi.useRealTimers();
});

describe("frames of a process", () => {
  it("can be read by a program that was written from the page alone", async () => {
    const cluster = new TappedCluster({ secret: SECRET });
    const one = cluster.add();
    cluster.add();
    const name = "every policy";
    const limiter = createLimiter({
      ...{ name, cluster: one.cluster },
      policies: [
        fixedWindow(MINUTE),
        fixedWindow({ ...MINUTE, name: "aligned", align: true }),
        fixedWindow({ ...DAY, name: "day" }),
        slidingWindow(MINUTE),
        tokenBucket(BUCKET),
        slidingLog(MINUTE),
        concurrency({ limit: 100 }),
      ],
    });
    // So long that there is a time before the window that a log can begin at.
    vi.advanceTimersByTime(2 * MINUTE.windowMs);
    limiter.check("ключ", 3);
    const readAt = Date.now();
    vi.advanceTimersByTime(2_000);
    limiter.reset("ключ");
    vi.advanceTimersByTime(100);
    void one.cluster.leave();
    await vi.advanceTimersByTimeAsync(100);

    const keys = clusterKeys("shop", SECRET);
    const identity = identityOf(name, [
      meaningOf("fixedWindow", MINUTE),
      meaningOf("fixedWindow", { ...MINUTE, align: true }),
      meaningOf("fixedWindow", DAY),
      meaningOf("slidingWindow", MINUTE),
      meaningOf("tokenBucket", BUCKET),
      meaningOf("slidingLog", MINUTE),
      meaningOf("concurrency", {}),
    ]);
    const key = fingerprintOf(seedOf(keys, identity), Buffer.from("ключ"));
    const frames = cluster
      .of(one)
      .map(({ frame }) => readFrame(Buffer.from(frame).toString("hex"), keys));
    const kinds = new Set(frames.map(({ kind }) => kind));
    expect(Array.from(kinds)).toEqual(expect.arrayContaining(["hello", "counts", "leave"]));
    const sections = frames.flatMap(({ sections }) => sections as Section[]);
    const limits = [100, 100, 100, 100, 50, 100, 100];
    expect(sections.flatMap(({ type, limiters }) => (type === 8 ? limiters : []))).toContainEqual(
      ...[{ name: nameOf(keys, name), identity, limits }],
    );

    const told = sections.filter(({ type, limiter }) => type === 1 && limiter === identity);
    const ofPolicy = (policy: number): unknown[] =>
      told
        .filter((section) => section.policy === policy && section.of === SENDER)
        .flatMap(({ encoding, entries }) => entries.map((entry) => ({ encoding, ...entry })));
    const low = Buffer.from(key, "hex").readUInt32LE();
    const replica = Buffer.from(one.cluster.status().replica, "hex").reverse().toString("hex");
    const day = Math.floor(readAt / 86_400_000) * 1_440;
    const counted = { key, hits: 3, refunds: 0, refusals: 0, generation: 0, reset: 0 };
    expect([0, 1, 2, 3, 4, 5, 6].map(ofPolicy)).toEqual([
      [{ encoding: 0, ...counted, opener: replica, openedAt: readAt }],
      [{ encoding: 1, ...counted, period: Math.floor((readAt + (low % 60_000)) / 60_000) }],
      [{ encoding: 1, ...counted, period: day }],
      [{ encoding: 1, ...counted, period: Math.floor(readAt / 5_000) }],
      [{ encoding: 1, ...counted, period: Math.floor(readAt / 512) }],
      [
        { encoding: 1, ...counted, period: expect.any(Number), hits: 0 },
        { encoding: 1, ...counted, period: readAt },
      ],
      [{ encoding: 2, ...counted }],
    ]);
    const notes = sections.filter((section) => section.type === 2 && section.limiter === identity);
    expect(notes.flatMap((section) => section.notes)).toEqual([
      { key, reset: expect.any(Number), resetOfMarks: 0, marks: [] },
    ]);
  });
});
