/**
 * Frames that wait to be read, in the order in which they were received.
 *
 * Frames that were read are released while others still wait: under load the queue is never empty.
 */

import type { FrameLoad } from "../../wire/frame.ts";

/** What a frame takes beside its bytes. */
const FRAME_BYTES = 256;
/** How many frames are read before their entries are freed. */
const ENTRIES_KEPT = 1_024;

export interface WaitingFrame {
  readonly frame: Uint8Array;
  readonly receivedAtMs: number;
  readonly load: FrameLoad;
  /** What it takes while it waits. It stays the same when a transport takes the buffer back. */
  readonly bytes: number;
}

/** What a frame takes while it waits. */
export function waitingBytes(frame: Uint8Array): number {
  return FRAME_BYTES + frame.length;
}

export class FrameFifo {
  /** What all waiting frames take. */
  bytes = 0;
  #entries: (WaitingFrame | undefined)[] = [];
  #next = 0;

  get isEmpty(): boolean {
    return this.#next === this.#entries.length;
  }

  /** The frame that has waited longest. */
  get head(): WaitingFrame | undefined {
    return this.#entries[this.#next];
  }

  push(waiting: WaitingFrame): void {
    this.#entries.push(waiting);
    this.bytes += waiting.bytes;
  }

  shift(): WaitingFrame | undefined {
    const { head } = this;
    if (head === undefined) return undefined;
    this.#entries[this.#next++] = undefined;
    this.bytes -= head.bytes;
    if (this.isEmpty) this.clear();
    else if (this.#next >= ENTRIES_KEPT && 2 * this.#next >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#next);
      this.#next = 0;
    }
    return head;
  }

  /** Drops all frames but some. */
  keepOnly(isKept: (waiting: WaitingFrame) => boolean): void {
    this.#entries = this.#entries.filter((entry) => entry !== undefined && isKept(entry));
    this.#next = 0;
    this.bytes = this.#entries.reduce((sum, entry) => sum + entry!.bytes, 0);
  }

  clear(): void {
    this.#entries = [];
    this.#next = 0;
    this.bytes = 0;
  }
}
