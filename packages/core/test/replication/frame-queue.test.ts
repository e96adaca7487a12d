import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FrameQueue } from "../../src/replication/frame-queue.ts";
import type { Slices } from "../../src/replication/slicer.ts";
import { endBackground, holdBackground, runAll } from "./background.ts";

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

beforeEach(() => {
  holdBackground(() => nowMs);
});

afterEach(endBackground);

describe("frames that come in", () => {
  it("are read at once while that takes little time", () => {
    const read: string[] = [];
    const queue = new FrameQueue(readerOf(read), { frame: () => {} });
    queue.take(frameOf(1, 1));
    expect(read).toEqual(["1", "end of 1"]);
  });

  it("are read a slice at a time when they are long, and never two at once", () => {
    const read: string[] = [];
    const queue = new FrameQueue(readerOf(read), { frame: () => {} });
    queue.take(frameOf(1, 9));
    const atOnce = read.length;
    expect(atOnce).toBeLessThan(9);
    queue.take(frameOf(2, 2));
    expect(read.length).toBe(atOnce);
    const beganMs = nowMs;
    vi.runOnlyPendingTimers();
    expect(nowMs - beganMs).toBeLessThan(6);
    runAll();
    expect(read).toEqual([...Array(9).fill("1"), "end of 1", "2", "2", "end of 2"]);
  });

  it("are not read any further once it stops", () => {
    const read: string[] = [];
    const queue = new FrameQueue(readerOf(read), { frame: () => {} });
    queue.take(frameOf(1, 9));
    queue.stop();
    runAll();
    expect(read).not.toContain("end of 1");
  });

  it("are dropped, and counted as that, when too many wait", () => {
    let dropped = 0;
    const queue = new FrameQueue(readerOf([]), { frame: () => dropped++ });
    for (let frame = 0; frame < 1_100; frame++) queue.take(new Uint8Array(65_535));
    expect(dropped).toBeGreaterThan(0);
    queue.stop();
  });

  it("are let go of once they have been read, also when others always wait", () => {
    const mebibyte = 1_048_576;
    const queue = new FrameQueue(
      function* read() {
        nowMs += 3;
        yield;
      },
      { frame: () => {} },
    );
    const before = process.memoryUsage().arrayBuffers;
    for (let frames = 0; frames < 10; frames++) queue.take(frameOf(1, mebibyte));
    for (let turns = 0; turns < 400; turns++) {
      for (let frames = 0; frames < 2; frames++) queue.take(frameOf(1, mebibyte));
      vi.runOnlyPendingTimers();
    }
    // 800 MiB have gone through, and ten or so are waiting.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(400 * mebibyte);
    queue.stop();
  });

  it("take their place however short they are", () => {
    let dropped = 0;
    const queue = new FrameQueue(readerOf([]), { frame: () => dropped++ });
    queue.take(frameOf(1, 9));
    const short = frameOf(1, 0);
    for (let frames = 0; frames < 300_000; frames++) queue.take(short);
    expect(dropped).toBeGreaterThan(0);
    queue.stop();
  });

  it.each([[undefined], ["frame"], [new ArrayBuffer(9)], [new DataView(new ArrayBuffer(9))]])(
    "are malformed when they are no bytes, such as %s",
    (odd) => {
      const [read, refused]: string[][] = [[], []];
      const queue = new FrameQueue(readerOf(read!), { frame: (why) => refused!.push(why) });
      queue.take(odd);
      queue.take(frameOf(1, 9));
      queue.take(odd);
      runAll();
      expect(refused).toEqual(["malformed", "malformed"]);
      expect(read!.at(-1)).toBe("end of 1");
    },
  );

  it("are malformed when their transport takes the bytes back, wherever that finds them", () => {
    const [read, refused]: string[][] = [[], []];
    const queue = new FrameQueue(readerOf(read!), { frame: (why) => refused!.push(why) });
    const [one, two] = [frameOf(1, 9), frameOf(2, 9)];
    for (const frame of [one, two, frameOf(3, 1)]) queue.take(frame);
    for (const { buffer } of [one, two]) structuredClone(0, { transfer: [buffer as ArrayBuffer] });
    runAll();
    expect(refused).toEqual(["malformed", "malformed"]);
    expect(read!.slice(-2)).toEqual(["3", "end of 3"]);
    expect(read).not.toContain("end of undefined");
  });
});
