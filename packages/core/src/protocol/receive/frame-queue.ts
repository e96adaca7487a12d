/**
 * The queue of received frames, which are read a slice at a time.
 *
 * Each frame is stamped when it is received, so the time that it waits here does not distort clock
 * offsets. Replies and other frames take turns by bytes: a long reply would otherwise make the
 * frames behind it too old.
 *
 * This replica is overloaded while frames arrive faster than it can merge them. Frames of counts
 * that were not read within a second are then dropped. Counts are cumulative, so later frames and
 * one sync reply carry the same counts. Frames whose counts are never repeated stay, and so do
 * heartbeats, requests and replies. The beginning and the end of an overload are reported.
 */

import { CLUSTER_EVENTS } from "../../base/cluster-events.ts";
import type { Slices } from "../../base/slices.ts";
import { type FrameLoad, loadOf } from "../../wire/frame.ts";
import type { ReplicaContext } from "../replica-context.ts";
import type { Work } from "../scheduler.ts";

const BYTES_MAX = 64 * 1024 * 1024;
/** What a waiting frame takes beside its bytes. */
const FRAME_BYTES = 256;
/** How many frames are read before their entries are freed. */
const ENTRIES_KEPT = 1_024;
/** How long a frame of counts may wait. */
const WAIT_MS_MAX = 1_000;
/** The queue counts as loaded when its first frame has waited so long; none is dropped yet then. */
const LOADED_MS = 250;
/** How long nothing must have been dropped for a request to be of use. */
const QUIET_MS = 1_000;
/** How long nothing must have been dropped for the overload to be over. */
const OVER_MS = 10_000;
/** Stands for a frame that has been read. */
const READ = new Uint8Array(0);

interface WaitingFrame {
  readonly frame: Uint8Array;
  readonly receivedAtMs: number;
  readonly load: FrameLoad;
  /** What it takes while it waits. It stays the same when a transport takes the buffer back. */
  readonly bytes: number;
}

export class FrameQueue implements Work {
  /** Whether frames have been dropped of late. */
  isOverloaded = false;
  readonly #context: ReplicaContext;
  readonly #read: (frame: Uint8Array, receivedAtMs: number) => Slices;
  /** The frame that is being read, and its bytes. */
  #reading: Slices | undefined;
  #frame: Uint8Array = READ;
  readonly #replies = new FrameFifo();
  readonly #others = new FrameFifo();
  /** How many more bytes of other frames than of replies have been read, while both wait. */
  #aheadBytes = 0;
  /** How many frames wait that may be dropped. */
  #repeated = 0;
  #droppedAtMs = Number.NEGATIVE_INFINITY;

  /** @param read reads one frame in slices; never throws */
  constructor(context: ReplicaContext, read: (frame: Uint8Array, receivedAtMs: number) => Slices) {
    this.#context = context;
    this.#read = read;
    context.scheduler.add(this);
  }

  /**
   * Whether sync requests must wait: waiting frames may close the gap, or their counts have just
   * been dropped, so that the reply would only add to the load.
   */
  isLoaded(now: number): boolean {
    const isDropping = now < this.#droppedAtMs + QUIET_MS;
    return isDropping || !this.#replies.isEmpty || this.#waitedMs(now) > LOADED_MS;
  }

  /** Looks whether the overload is over. */
  look(now: number): void {
    if (!this.isOverloaded || now < this.#droppedAtMs + OVER_MS) return;
    this.isOverloaded = false;
    this.#context.report(
      "this process merges the counts of other processes in time again",
      CLUSTER_EVENTS.overloadOver,
    );
  }

  /** A frame has arrived now. */
  take(frame: Uint8Array): void {
    const receivedAtMs = this.#context.clock.now();
    const waiting = { frame, receivedAtMs, load: loadOf(frame), bytes: FRAME_BYTES + frame.length };
    const isFull = (): boolean =>
      this.#replies.bytes + this.#others.bytes + waiting.bytes > BYTES_MAX;
    if (isFull()) this.#dropRepeated(receivedAtMs);
    if (isFull()) {
      const isLost = waiting.load === "unrepeated";
      this.#context.rejections.frame(isLost ? "lostCounts" : "tooManyFrames");
      return;
    }
    if (waiting.load === "repeated") this.#repeated++;
    (waiting.load === "reply" ? this.#replies : this.#others).push(waiting);
  }

  stop(): void {
    this.#end();
    this.#replies.clear();
    this.#others.clear();
    this.#repeated = 0;
  }

  /** Whether a frame has been read in part. */
  get isReading(): boolean {
    return this.#reading !== undefined;
  }

  get isRunnable(): boolean {
    return this.isReading || !this.#isEmpty;
  }

  /** Reads a slice of the frame that is being read, or of the next one. */
  slice(): void {
    if (this.#reading === undefined) this.#begin();
    if (this.#frame.length === 0) {
      // The frame was empty, or its transport has taken the buffer back.
      this.#end();
      this.#context.rejections.frame("malformed");
    } else if (this.#reading?.next().done === true) this.#end();
  }

  get #isEmpty(): boolean {
    return this.#replies.isEmpty && this.#others.isEmpty;
  }

  /** How long the first frame has waited that is not part of a reply. */
  #waitedMs(now: number): number {
    return now - (this.#others.head?.receivedAtMs ?? now);
  }

  /** Drops all frames of counts that later ones repeat. The receiver requests them once. */
  #dropRepeated(now: number): void {
    const { rejections, report } = this.#context;
    if (this.#repeated === 0) return;
    for (; this.#repeated > 0; this.#repeated--) rejections.frame("tooManyFrames");
    this.#others.keepOnly(({ load }) => load !== "repeated");
    this.#droppedAtMs = now;
    if (this.isOverloaded) return;
    this.isOverloaded = true;
    report(
      "other processes count faster than this one can merge: counts that have waited for a second are dropped, and requested again later. Until then this process decides on fewer hits than there are",
      CLUSTER_EVENTS.overloaded,
    );
  }

  #begin(): void {
    const now = this.#context.clock.now();
    if (this.#waitedMs(now) > WAIT_MS_MAX) this.#dropRepeated(now);
    const isOthersTurn = this.#replies.isEmpty || (!this.#others.isEmpty && this.#aheadBytes <= 0);
    const next = (isOthersTurn ? this.#others : this.#replies).shift();
    if (next === undefined) return;
    if (next.load === "repeated") this.#repeated--;
    this.#aheadBytes += isOthersTurn ? next.bytes : -next.bytes;
    if (this.#replies.isEmpty || this.#others.isEmpty) this.#aheadBytes = 0;
    this.#reading = this.#read(next.frame, next.receivedAtMs);
    this.#frame = next.frame;
  }

  #end(): void {
    this.#reading = undefined;
    this.#frame = READ;
  }
}

/**
 * Waiting frames, in the order in which they were received. Those that were read are released while
 * others still wait: under load the queue is never empty.
 */
class FrameFifo {
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
