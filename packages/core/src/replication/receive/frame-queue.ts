/**
 * The queue of received frames that cannot be read at once without holding up requests.
 *
 * A few milliseconds of reading may happen on arrival; the rest waits for the background. Each
 * frame is stamped when it is received, so the time that it waits here does not distort clock
 * offsets. Under overload, frames of counts that were not read within a second are dropped: counts
 * are cumulative, so later frames and one sync reply carry the same. Frames whose counts are never
 * repeated stay, and so do heartbeats, requests and replies. Replies and other frames take turns by
 * bytes: a long reply would otherwise make the frames behind it too old.
 *
 * A transport may deliver anything; only byte arrays pass from here.
 */

import { isUint8Array } from "node:util/types";
import { doInBackground, leaveUndone } from "../../runtime/background.ts";
import { loadOf } from "../../wire/frame.ts";
import type { Slices } from "../slicer.ts";
import { FrameFifo, type WaitingFrame, waitingBytes } from "./frame-fifo.ts";
import type { Rejections } from "./rejections.ts";

/** How much may be read on arrival between two turns of the background. */
const AT_ONCE_MS = 2;
const BYTES_MAX = 64 * 1024 * 1024;
/** How long a frame of counts may wait. */
const WAIT_MS_MAX = 1_000;
/** The queue counts as loaded when its first frame has waited so long; none is dropped yet then. */
const LOADED_MS = 250;
/** Stands for a frame that has been read. */
const READ = new Uint8Array(0);

export interface FrameQueueOptions {
  /** Reads one frame in slices; never throws. */
  readonly read: (frame: Uint8Array, receivedAtMs: number) => Slices;
  /** Counts each frame that found no room or waited too long, or that is not a frame. */
  readonly rejections: Pick<Rejections, "frame">;
  readonly now: () => number;
  /** Called when frames of counts were dropped. */
  readonly dropped: (now: number) => void;
}

export class FrameQueue {
  readonly #options: FrameQueueOptions;
  readonly #work = (forMs: number): boolean => this.#readFor(forMs);
  /** The frame that is being read, and its bytes. */
  #reading: Slices | undefined;
  #frame: Uint8Array = READ;
  readonly #replies = new FrameFifo();
  readonly #others = new FrameFifo();
  /** How many more bytes of other frames than of replies have been read, while both wait. */
  #aheadBytes = 0;
  /** How many frames wait that may be dropped. */
  #repeated = 0;
  #spentMs = 0;

  constructor(options: FrameQueueOptions) {
    this.#options = options;
  }

  /** Whether waiting frames may close a gap, or a request would only add to the load. */
  isLoaded(now: number): boolean {
    return !this.#replies.isEmpty || this.#waitedMs(now) > LOADED_MS;
  }

  /** Takes a frame. It is read now if no frame waits and there is still time. */
  take(frame: unknown): void {
    // `instanceof` does not do: a test runner may have other globals than the transport.
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
    this.#replies.clear();
    this.#others.clear();
    this.#repeated = 0;
  }

  get #isEmpty(): boolean {
    return this.#replies.isEmpty && this.#others.isEmpty;
  }

  /** How long the first frame has waited that is not part of a reply. */
  #waitedMs(now: number): number {
    return now - (this.#others.head?.receivedAtMs ?? now);
  }

  #wait(waiting: WaitingFrame): void {
    const { receivedAtMs, load, bytes } = waiting;
    const isFull = (): boolean => this.#replies.bytes + this.#others.bytes + bytes > BYTES_MAX;
    if (isFull()) this.#dropRepeated(receivedAtMs);
    if (isFull()) {
      this.#options.rejections.frame(load === "unrepeated" ? "lostCounts" : "tooManyFrames");
      return;
    }
    if (load === "repeated") this.#repeated++;
    (load === "reply" ? this.#replies : this.#others).push(waiting);
  }

  /** Drops all frames of counts that later ones repeat. The receiver requests them once. */
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
    const isOthersTurn = this.#replies.isEmpty || (!this.#others.isEmpty && this.#aheadBytes <= 0);
    const next = (isOthersTurn ? this.#others : this.#replies).shift();
    if (next === undefined) return undefined;
    if (next.load === "repeated") this.#repeated--;
    this.#aheadBytes += isOthersTurn ? next.bytes : -next.bytes;
    if (this.#replies.isEmpty || this.#others.isEmpty) this.#aheadBytes = 0;
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

  /** Continues the frame that is being read; returns whether it is read completely. */
  #goOn(endMs: number): boolean {
    while (this.#reading !== undefined) {
      if (this.#frame.length === 0) {
        // The frame was empty, or its transport has taken the buffer back.
        this.#end();
        this.#options.rejections.frame("malformed");
      } else if (this.#reading.next().done === true) this.#end();
      else if (performance.now() >= endMs) return false;
    }
    return true;
  }
}
