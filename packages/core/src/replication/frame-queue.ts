/**
 * Frames that come faster than they can be read without holding up requests.
 *
 * A few milliseconds of reading may happen as frames come in; what is left waits for the background.
 * A burst that fills the queue is cut off: whoever sent it will be asked for what is missing. Short
 * frames take more memory than their bytes, and what has been read is let go of while others wait.
 */

import { doInBackground, leaveUndone } from "../runtime/background.ts";
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
  readonly #dropped: () => void;
  readonly #work = (forMs: number): boolean => this.#readFor(forMs);
  /** The frame that is being read. */
  #reading: Slices | undefined;
  #waiting: Uint8Array[] = [];
  #next = 0;
  #bytes = 0;
  #spentMs = 0;

  /**
   * @param read reads one frame in slices; never throws
   * @param dropped is told of each frame that found no room
   */
  constructor(read: (frame: Uint8Array) => Slices, dropped: () => void) {
    this.#read = read;
    this.#dropped = dropped;
  }

  /** Takes a frame, which is read now if nothing waits and there is still time. */
  take(frame: Uint8Array): void {
    const isIdle = this.#reading === undefined && this.#next === this.#waiting.length;
    if (isIdle && this.#spentMs < AT_ONCE_MS) {
      const startMs = performance.now();
      this.#reading = this.#read(frame);
      this.#goOn(startMs + AT_ONCE_MS - this.#spentMs);
      this.#spentMs += performance.now() - startMs;
    } else if (this.#bytes + FRAME_BYTES + frame.length <= BYTES_MAX) {
      this.#waiting.push(frame);
      this.#bytes += FRAME_BYTES + frame.length;
    } else {
      this.#dropped();
    }
    doInBackground(this.#work);
  }

  stop(): void {
    leaveUndone(this.#work);
    this.#reading = undefined;
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
      this.#reading = this.#read(frame);
      this.#letGo();
    }
    if (this.#reading !== undefined || this.#next < this.#waiting.length) return true;
    this.#waiting = [];
    this.#next = 0;
    return false;
  }

  /** Gives back the places of what has been read, now and then: the queue may never be empty. */
  #letGo(): void {
    if (this.#next < PLACES_KEPT || 2 * this.#next < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }

  /** Goes on with the frame that is being read; whether it has been read to its end. */
  #goOn(endMs: number): boolean {
    while (this.#reading !== undefined) {
      if (this.#reading.next().done === true) this.#reading = undefined;
      else if (performance.now() >= endMs) return false;
    }
    return true;
  }
}
