import { beforeEach, describe, expect, it } from "vitest";
import { CLUSTER_EVENTS, type EventKind } from "../../../src/base/cluster-events.ts";
import type { Slices } from "../../../src/base/slices.ts";
import { FrameQueue } from "../../../src/protocol/receive/frame-queue.ts";
import { Scheduler } from "../../../src/protocol/scheduler.ts";
import { FRAME_KINDS, type FrameKind, loadOf } from "../../../src/wire/frame.ts";

let nowMs = 0;

/** Reads a frame for as many milliseconds as it has bytes, and notes each. */
function readerOf(read: string[]): (frame: Uint8Array) => Slices {
  return function* readInto(frame) {
    for (let byte = 0; byte < frame.length; byte++) {
      nowMs++;
      read.push(`${frame[0]}`);
      yield;
    }
    read.push(`end of ${frame[0]}`);
  };
}

function frameOf(number: number, bytes: number): Uint8Array {
  return new Uint8Array(bytes).fill(number);
}

/** A queue whose frames are read by `read`, the reasons of refused ones, and what it reports. */
function queueOf(read: (frame: Uint8Array, receivedAtMs: number) => Slices): {
  queue: FrameQueue;
  refused: string[];
  reports: string[];
} {
  const refused: string[] = [];
  const reports: string[] = [];
  const context = {
    clock: { now: () => nowMs },
    rejections: { frame: (why: string) => refused.push(why) },
    scheduler: new Scheduler(),
    report: (_: string, { code }: EventKind) => reports.push(code),
  };
  return { queue: new FrameQueue(context as never, read), refused, reports };
}

/** Reads on, by so many slices at most. */
function readOn(queue: FrameQueue, slices: number = Number.POSITIVE_INFINITY): void {
  for (let slice = 0; slice < slices && queue.isRunnable; slice++) queue.slice();
}

beforeEach(() => {
  nowMs = 0;
});

describe("received frames", () => {
  it("are read a slice at a time, one after the other", () => {
    const read: string[] = [];
    const { queue } = queueOf(readerOf(read));
    queue.take(frameOf(1, 9));
    expect([read, queue.isReading]).toEqual([[], false]);
    readOn(queue, 2);
    expect([read, queue.isReading]).toEqual([["1", "1"], true]);
    queue.take(frameOf(2, 2));
    expect(read.length).toBe(2);
    readOn(queue);
    expect(read).toEqual([...Array(9).fill("1"), "end of 1", "2", "2", "end of 2"]);
  });

  it("are not read any further once it stops", () => {
    const read: string[] = [];
    const { queue } = queueOf(readerOf(read));
    queue.take(frameOf(1, 9));
    readOn(queue, 2);
    queue.stop();
    readOn(queue);
    expect(read).not.toContain("end of 1");
  });

  it("are dropped and counted when too many wait", () => {
    const { queue, refused } = queueOf(readerOf([]));
    for (let frame = 0; frame < 1_100; frame++) queue.take(new Uint8Array(65_535));
    expect(refused.length).toBeGreaterThan(0);
    queue.stop();
  });

  it("are released once they have been read, also when others always wait", () => {
    const mebibyte = 1_048_576;
    const { queue } = queueOf(function* read() {
      nowMs += 3;
      yield;
    });
    const before = process.memoryUsage().arrayBuffers;
    for (let frames = 0; frames < 10; frames++) queue.take(frameOf(1, mebibyte));
    for (let turns = 0; turns < 400; turns++) {
      for (let frames = 0; frames < 2; frames++) queue.take(frameOf(1, mebibyte));
      readOn(queue, 4);
    }
    // 800 MiB have gone through, and ten or so are waiting.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(400 * mebibyte);
    queue.stop();
  });

  it("take room for an entry however short they are", () => {
    const { queue, refused } = queueOf(readerOf([]));
    queue.take(frameOf(1, 9));
    const short = frameOf(1, 0);
    for (let frames = 0; frames < 300_000; frames++) queue.take(short);
    expect(refused.length).toBeGreaterThan(0);
    queue.stop();
  });

  it("are malformed when their transport takes the bytes back, at any time", () => {
    const read: string[] = [];
    const { queue, refused } = queueOf(readerOf(read));
    const [one, two] = [frameOf(1, 9), frameOf(2, 9)];
    for (const frame of [one, two, frameOf(3, 1)]) queue.take(frame);
    readOn(queue, 2);
    for (const { buffer } of [one, two]) structuredClone(0, { transfer: [buffer as ArrayBuffer] });
    readOn(queue);
    expect(refused).toEqual(["malformed", "malformed"]);
    expect(read.slice(-2)).toEqual(["3", "end of 3"]);
    expect(read).not.toContain("end of undefined");
  });
});

/** A frame of a kind, with flags, whose bytes each take a millisecond to read. */
function kindOf(kind: FrameKind, bytes: number, flags = 0): Uint8Array {
  return frameOf(FRAME_KINDS.indexOf(kind), bytes).fill(flags, 4, 5);
}

describe("frames under overload", () => {
  const UNREPEATED = 2;

  /** Keeps a queue busy, so that the next frames wait. */
  function busyQueue(bytes: number): ReturnType<typeof queueOf> & {
    read: { kind: string; receivedAtMs: number; atMs: number }[];
  } {
    const read: { kind: string; receivedAtMs: number; atMs: number }[] = [];
    const made = queueOf(function* readInto(frame, receivedAtMs) {
      for (let byte = 0; byte < frame.length; byte++) {
        nowMs++;
        yield;
      }
      read.push({ kind: loadOf(frame), receivedAtMs, atMs: nowMs });
    });
    made.queue.take(kindOf("heartbeat", bytes));
    return { ...made, read };
  }

  it("keep the time at which they were received", () => {
    const { queue, read } = busyQueue(900);
    const receivedAtMs = nowMs;
    queue.take(kindOf("counts", 9));
    readOn(queue);
    expect(read.at(-1)).toEqual({ kind: "repeated", receivedAtMs, atMs: nowMs });
    expect(nowMs - receivedAtMs).toBeGreaterThan(800);
  });

  it("are dropped after a second, unless nothing repeats their counts or they are short", () => {
    const { queue, read, refused, reports } = busyQueue(1_200);
    for (let frame = 0; frame < 5; frame++) queue.take(kindOf("counts", 50));
    queue.take(kindOf("counts", 50, UNREPEATED));
    for (const kind of ["heartbeat", "request", "hello", "leave"] as const) {
      queue.take(kindOf(kind, 5));
    }
    readOn(queue);
    expect(read.map(({ kind }) => kind)).toEqual([
      "short",
      "unrepeated",
      ...Array(4).fill("short"),
    ]);
    expect(refused).toEqual(Array(5).fill("tooManyFrames"));
    expect([reports, queue.isOverloaded]).toEqual([[CLUSTER_EVENTS.overloaded.code], true]);
    queue.take(kindOf("counts", 50));
    readOn(queue);
    expect(read.at(-1)?.kind).toBe("repeated");
  });

  it("take turns with replies, so that a long reply makes no other frame too old", () => {
    const { queue, read, refused } = busyQueue(9);
    for (let frame = 0; frame < 40; frame++) queue.take(kindOf("reply", 100));
    for (let frame = 0; frame < 4; frame++) queue.take(kindOf("counts", 100));
    expect(queue.isLoaded(nowMs)).toBe(true);
    readOn(queue);
    expect([queue.isLoaded(nowMs), refused]).toEqual([false, []]);
    expect(
      read
        .slice(1, 9)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual([...Array(4).fill("repeated"), ...Array(4).fill("reply")]);
  });

  it("make room for counts that nothing repeats, and a lack of room is reported", () => {
    const { queue, refused } = busyQueue(9);
    const fill = (flags: number, frames: number): void => {
      for (let frame = 0; frame < frames; frame++) queue.take(kindOf("counts", 65_535, flags));
    };
    fill(0, 1_000);
    fill(UNREPEATED, 1_000);
    expect(new Set(refused)).toEqual(new Set(["tooManyFrames"]));
    fill(UNREPEATED, 100);
    expect(refused.at(-1)).toBe("lostCounts");
    queue.stop();
  });
});
