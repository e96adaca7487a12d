/**
 * Frames that come faster than they can be read without holding up requests.
 *
 * Each turn of the event loop reads for a few milliseconds, and what is left waits for the next. A
 * burst that fills the queue is cut off: whoever sent it will be asked for what is missing.
 */

const TURN_MS = 3;
const BYTES_MAX = 64 * 1024 * 1024;

export class FrameQueue {
  /** Frames that found no room. */
  dropped = 0;

  readonly #read: (frame: Uint8Array) => void;
  #waiting: Uint8Array[] = [];
  #next = 0;
  #bytes = 0;
  #spentMs = 0;
  #turn: ReturnType<typeof setImmediate> | undefined;

  /** @param read reads one frame; never throws */
  constructor(read: (frame: Uint8Array) => void) {
    this.#read = read;
  }

  /** Takes a frame, which is read now if nothing waits and there is still time. */
  take(frame: Uint8Array): void {
    if (this.#next === this.#waiting.length && this.#spentMs < TURN_MS) {
      this.#spend(frame);
    } else if (this.#bytes + frame.length <= BYTES_MAX) {
      this.#waiting.push(frame);
      this.#bytes += frame.length;
    } else {
      this.dropped++;
    }
    this.#turn ??= setImmediate(() => this.#begin());
  }

  stop(): void {
    clearImmediate(this.#turn);
    this.#waiting = [];
    this.#next = 0;
  }

  /** Begins another turn. */
  #begin(): void {
    this.#turn = undefined;
    this.#spentMs = 0;
    while (this.#next < this.#waiting.length && this.#spentMs < TURN_MS) {
      const frame = this.#waiting[this.#next++]!;
      this.#bytes -= frame.length;
      this.#spend(frame);
    }
    if (this.#next < this.#waiting.length) {
      this.#turn = setImmediate(() => this.#begin());
    } else {
      this.#waiting = [];
      this.#next = 0;
    }
  }

  #spend(frame: Uint8Array): void {
    const start = performance.now();
    this.#read(frame);
    this.#spentMs += performance.now() - start;
  }
}
