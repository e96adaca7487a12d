/**
 * Runs long work in slices, one piece of work after the other.
 *
 * The work may produce more frames than the transport takes at once. Then it waits for `goOn`
 * instead of sending frames that would be dropped: this is the backpressure of replication.
 */

import type { Slices } from "../base/slices.ts";
import { doInBackground, leaveUndone } from "../runtime/background.ts";

/** How long the first slice may take, which runs at once. */
const FIRST_MS = 2;

export class Slicer {
  readonly #mustWait: () => boolean;
  #queue: { readonly slices: Slices; readonly done: () => void }[] = [];
  readonly #work = (forMs: number): boolean => this.#run(forMs);

  /** @param mustWait whether it is of no use to go on now */
  constructor(mustWait: () => boolean = () => false) {
    this.#mustWait = mustWait;
  }

  get isIdle(): boolean {
    return this.#queue.length === 0;
  }

  /** Begins at once if nothing else is going on. */
  run(slices: Slices, done: () => void = () => {}): void {
    this.#queue.push({ slices, done });
    if (this.#queue.length === 1 && this.#run(FIRST_MS)) doInBackground(this.#work);
  }

  /** Begins in the background. */
  runLater(slices: Slices): void {
    this.#queue.push({ slices, done: () => {} });
    doInBackground(this.#work);
  }

  /** Goes on in the background, if work is waiting and need not wait any more. */
  goOn(): void {
    if (!this.isIdle && !this.#mustWait()) doInBackground(this.#work);
  }

  /** Goes on at once for a while, unless it has to wait; returns whether nothing is left to do. */
  goOnFor(forMs: number): boolean {
    if (!this.isIdle && !this.#mustWait() && this.#run(forMs)) doInBackground(this.#work);
    return this.isIdle;
  }

  /** Drops the remaining work. */
  stop(): void {
    leaveUndone(this.#work);
    this.#queue = [];
  }

  /** Returns whether there is more that need not wait. */
  #run(forMs: number): boolean {
    const endMs = performance.now() + forMs;
    for (let work = this.#queue[0]; work !== undefined; work = this.#queue[0]) {
      while (work.slices.next().done !== true) {
        if (this.#mustWait()) return false;
        if (performance.now() >= endMs) return true;
      }
      this.#queue.shift();
      work.done();
    }
    return false;
  }
}
