/**
 * Frames that come faster than they can be read without holding up requests.
 *
 * A few milliseconds of reading may happen as frames come in; what is left waits for the background.
 * A burst that fills the queue is cut off: whoever sent it will be asked for what is missing. Short
 * frames take more memory than their bytes, and what has been read is let go of while others wait.
 *
 * Here comes in what a transport delivers, which may be anything; what is behind this reads bytes.
 */

import { isUint8Array } from "node:util/types";
import { doInBackground, leaveUndone } from "../runtime/background.ts";
import type { Refusals } from "./refusals.ts";
import type { Slices } from "./slicer.ts";

/** How much may be read at once between two turns of the background. */
const AT_ONCE_MS = 2;
const BYTES_MAX = 64 * 1024 * 1024;
/** What a frame takes beside its bytes. */
const FRAME_BYTES = 256;
/** In the place of a frame that has been read. */
const READ = new Uint8Array(0);
/** How many frames are read until their places are given back. */
const PLACES_KEPT = 1_024;

export class FrameQueue {
  readonly #read: (frame: Uint8Array) => Slices;
  readonly #refusals: Pick<Refusals, "frame">;
  readonly #work = (forMs: number): boolean => this.#readFor(forMs);
  /** The frame that is being read, and its bytes. */
  #reading: Slices | undefined;
  #frame: Uint8Array = READ;
  #waiting: Uint8Array[] = [];
  #next = 0;
  #bytes = 0;
  #spentMs = 0;

  /**
   * @param read reads one frame in slices; never throws
   * @param refusals counts each frame that found no room, or that is none
   */
  constructor(read: (frame: Uint8Array) => Slices, refusals: Pick<Refusals, "frame">) {
    this.#read = read;
    this.#refusals = refusals;
  }

  /** Takes a frame, which is read now if nothing waits and there is still time. */
  take(frame: unknown): void {
    // Not by `instanceof`: a test runner's globals may be others than the transport's.
    if (!isUint8Array(frame)) {
      this.#refusals.frame("malformed");
      return;
    }
    const isIdle = this.#reading === undefined && this.#next === this.#waiting.length;
    if (isIdle && this.#spentMs < AT_ONCE_MS) {
      const startMs = performance.now();
      this.#begin(frame);
      this.#goOn(startMs + AT_ONCE_MS - this.#spentMs);
      this.#spentMs += performance.now() - startMs;
    } else if (this.#bytes + FRAME_BYTES + frame.length <= BYTES_MAX) {
      this.#waiting.push(frame);
      this.#bytes += FRAME_BYTES + frame.length;
    } else {
      this.#refusals.frame("tooManyFrames");
    }
    doInBackground(this.#work);
  }

  stop(): void {
    leaveUndone(this.#work);
    this.#end();
    this.#waiting = [];
    this.#next = 0;
    this.#bytes = 0;
  }

  #readFor(forMs: number): boolean {
    this.#spentMs = 0;
    const endMs = performance.now() + forMs;
    while (this.#goOn(endMs) && this.#next < this.#waiting.length) {
      if (performance.now() >= endMs) break;
      const frame = this.#waiting[this.#next]!;
      this.#waiting[this.#next++] = READ;
      this.#bytes -= FRAME_BYTES + frame.length;
      this.#begin(frame);
      this.#letGo();
    }
    if (this.#reading !== undefined || this.#next < this.#waiting.length) return true;
    this.#waiting = [];
    this.#next = 0;
    // What lost its bytes while it waited has given back too few.
    this.#bytes = 0;
    return false;
  }

  /** Gives back the places of what has been read, now and then: the queue may never be empty. */
  #letGo(): void {
    if (this.#next < PLACES_KEPT || 2 * this.#next < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }

  #begin(frame: Uint8Array): void {
    this.#reading = this.#read(frame);
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
        this.#refusals.frame("malformed");
      } else if (this.#reading.next().done === true) this.#end();
      else if (performance.now() >= endMs) return false;
    }
    return true;
  }
}
