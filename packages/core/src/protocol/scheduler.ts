/**
 * The long work of a replica, a slice at a time.
 *
 * A slice visits a few dozen records or reads a few counts. The scheduler gives each kind of work
 * its turn, slice by slice. The caller of the replica decides how many slices it does, so frames,
 * ticks and requests may come between any two of them.
 */

import type { Slices } from "../base/slices.ts";
import type { FrameLane } from "./publish/frame-lane.ts";

/** One kind of long work. */
export interface Work {
  /** Whether there is a slice to do now. */
  readonly isRunnable: boolean;
  /** Does one slice; called only while this is runnable. */
  slice(): void;
}

/** All long work of a replica. */
export class Scheduler {
  readonly #works: Work[] = [];
  #next = 0;

  add(work: Work): void {
    this.#works.push(work);
  }

  /** Whether any work has a slice to do now. */
  get isRunnable(): boolean {
    return this.#works.some((work) => work.isRunnable);
  }

  /** Does one slice of the work whose turn it is; returns whether there was one. */
  slice(): boolean {
    const works = this.#works;
    for (let tried = 0; tried < works.length; tried++) {
      const work = works[this.#next]!;
      this.#next = (this.#next + 1) % works.length;
      if (!work.isRunnable) continue;
      work.slice();
      return true;
    }
    return false;
  }
}

interface Piece {
  readonly slices: Slices;
  readonly done: () => void;
  isWritten: boolean;
}

/**
 * Pieces of work, one after the other. Work that writes frames pauses while they wait to be sent:
 * this is the backpressure of replication.
 */
export class Slicer implements Work {
  readonly #lane: FrameLane | undefined;
  #pieces: Piece[] = [];

  /** @param lane takes the frames that the work writes */
  constructor(scheduler: Scheduler, lane?: FrameLane) {
    this.#lane = lane;
    scheduler.add(this);
  }

  get isIdle(): boolean {
    return this.#pieces.length === 0;
  }

  get isRunnable(): boolean {
    const piece = this.#pieces[0];
    if (piece === undefined) return false;
    return this.#lane === undefined || (piece.isWritten ? this.#lane.isEmpty : this.#lane.isFree);
  }

  /** @param done called when all of it is done, and its frames have been sent */
  run(slices: Slices, done: () => void = () => {}): void {
    this.#pieces.push({ slices, done, isWritten: false });
  }

  slice(): void {
    const piece = this.#pieces[0]!;
    piece.isWritten ||= piece.slices.next().done === true;
    if (!piece.isWritten || this.#lane?.isEmpty === false) return;
    this.#pieces.shift();
    piece.done();
  }

  /** Does all of it now. Only for work that writes no frames. */
  finish(): void {
    while (this.isRunnable) this.slice();
  }

  /** Drops the rest, and the frames that wait. */
  stop(): void {
    this.#pieces = [];
    this.#lane?.clear();
  }
}
