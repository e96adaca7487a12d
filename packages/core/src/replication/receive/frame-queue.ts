/**
 * Frames that come faster than they can be read without holding up requests.
 *
 * A few milliseconds of reading may happen as frames come in; what is left waits for the background. Each
 * frame is stamped when it is received, so the time that it waits here says nothing about clocks. Frames
 * of counts that cannot be read within a second are dropped: counts are cumulative, so later frames and
 * the answer to one request say the same. A frame whose counts are never repeated stays, and so do
 * heartbeats, requests and answers. Answers and other frames take turns by bytes: a long answer would
 * otherwise make the frames behind it too old.
 *
 * Here comes in what a transport delivers, which may be anything; what is behind this reads bytes.
 */

import { isUint8Array } from "node:util/types";
import { doInBackground, leaveUndone } from "../../runtime/background.ts";
import { loadOf } from "../../wire/frame.ts";
import type { Slices } from "../slicer.ts";
import { FrameFifo, type WaitingFrame, waitingBytes } from "./frame-fifo.ts";
import type { Rejections } from "./rejections.ts";

/** How much may be read at once between two turns of the background. */
const AT_ONCE_MS = 2;
const BYTES_MAX = 64 * 1024 * 1024;
/** How long a frame of counts may wait. */
const WAIT_MS_MAX = 1_000;
/** How long the first of them waits where they come faster than they can be read, and none is dropped yet. */
const LOADED_MS = 250;
/** In the place of a frame that has been read. */
const READ = new Uint8Array(0);

export interface FrameQueueOptions {
  /** Reads one frame in slices; never throws. */
  readonly read: (frame: Uint8Array, receivedAtMs: number) => Slices;
  /** Counts each frame that found no room or waited too long, or that is none. */
  readonly rejections: Pick<Rejections, "frame">;
  readonly now: () => number;
  /** Told when frames of counts have been dropped. */
  readonly dropped: (now: number) => void;
}

export class FrameQueue {
  readonly #options: FrameQueueOptions;
  readonly #work = (forMs: number): boolean => this.#readFor(forMs);
  /** The frame that is being read, and its bytes. */
  #reading: Slices | undefined;
  #frame: Uint8Array = READ;
  readonly #answers = new FrameFifo();
  readonly #others = new FrameFifo();
  /** How many bytes more than of answers have been read of other frames, while both wait. */
  #aheadBytes = 0;
  /** How many frames wait that may be dropped. */
  #repeated = 0;
  #spentMs = 0;

  constructor(options: FrameQueueOptions) {
    this.#options = options;
  }

  /** Whether what is missing may be in frames that wait, or a request would only bring more of them. */
  isLoaded(now: number): boolean {
    return !this.#answers.isEmpty || this.#waitedMs(now) > LOADED_MS;
  }

  /** Takes a frame, which is read now if nothing waits and there is still time. */
  take(frame: unknown): void {
    // Not by `instanceof`: a test runner's globals may be others than the transport's.
    if (!isUint8Array(frame)) {
      this.#options.rejections.frame("malformed");
      return;
    }
    const receivedAtMs = this.#options.now();
    if (this.#reading === undefined && this.#isEmpty && this.#spentMs < AT_ONCE_MS) {
      const startMs = performance.now();
      this.#begin(frame, receivedAtMs);
      this.#goOn(startMs + AT_ONCE_MS - this.#spentMs);
      this.#spentMs += performance.now() - startMs;
    } else {
      this.#wait({ frame, receivedAtMs, load: loadOf(frame), bytes: waitingBytes(frame) });
    }
    doInBackground(this.#work);
  }

  stop(): void {
    leaveUndone(this.#work);
    this.#end();
    this.#answers.clear();
    this.#others.clear();
    this.#repeated = 0;
  }

  get #isEmpty(): boolean {
    return this.#answers.isEmpty && this.#others.isEmpty;
  }

  /** How long the first frame waits that is not an answer. */
  #waitedMs(now: number): number {
    return now - (this.#others.head?.receivedAtMs ?? now);
  }

  #wait(waiting: WaitingFrame): void {
    const { receivedAtMs, load, bytes } = waiting;
    const isFull = (): boolean => this.#answers.bytes + this.#others.bytes + bytes > BYTES_MAX;
    if (isFull()) this.#dropRepeated(receivedAtMs);
    if (isFull()) {
      this.#options.rejections.frame(load === "unrepeated" ? "lostCounts" : "tooManyFrames");
      return;
    }
    if (load === "repeated") this.#repeated++;
    (load === "answer" ? this.#answers : this.#others).push(waiting);
  }

  /** Drops all frames of counts that later ones repeat. The receiver asks once for what they said. */
  #dropRepeated(now: number): void {
    if (this.#repeated === 0) return;
    for (; this.#repeated > 0; this.#repeated--) this.#options.rejections.frame("tooManyFrames");
    this.#others.keepOnly(({ load }) => load !== "repeated");
    this.#options.dropped(now);
  }

  #readFor(forMs: number): boolean {
    this.#spentMs = 0;
    const endMs = performance.now() + forMs;
    while (this.#goOn(endMs) && !this.#isEmpty) {
      if (performance.now() >= endMs) break;
      const now = this.#options.now();
      if (this.#waitedMs(now) > WAIT_MS_MAX) this.#dropRepeated(now);
      const next = this.#next();
      if (next !== undefined) this.#begin(next.frame, next.receivedAtMs);
    }
    return this.#reading !== undefined || !this.#isEmpty;
  }

  #next(): WaitingFrame | undefined {
    const isOthersTurn = this.#answers.isEmpty || (!this.#others.isEmpty && this.#aheadBytes <= 0);
    const next = (isOthersTurn ? this.#others : this.#answers).shift();
    if (next === undefined) return undefined;
    if (next.load === "repeated") this.#repeated--;
    this.#aheadBytes += isOthersTurn ? next.bytes : -next.bytes;
    if (this.#answers.isEmpty || this.#others.isEmpty) this.#aheadBytes = 0;
    return next;
  }

  #begin(frame: Uint8Array, receivedAtMs: number): void {
    this.#reading = this.#options.read(frame, receivedAtMs);
    this.#frame = frame;
  }

  #end(): void {
    this.#reading = undefined;
    this.#frame = READ;
  }

  /** Goes on with the frame that is being read; whether it has been read to its end. */
  #goOn(endMs: number): boolean {
    while (this.#reading !== undefined) {
      if (this.#frame.length === 0) {
        // It was, or its transport has taken the buffer back, from which nothing can be read then.
        this.#end();
        this.#options.rejections.frame("malformed");
      } else if (this.#reading.next().done === true) this.#end();
      else if (performance.now() >= endMs) return false;
    }
    return true;
  }
}
