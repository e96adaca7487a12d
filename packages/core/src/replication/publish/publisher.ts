/**
 * Tells others what was counted here: when it is time to, and when somebody asks.
 *
 * All stores close a frame at once and leave in it together, so one number says what has been told of
 * all of them. Answers may be long, and what is counted meanwhile does not wait for them.
 */

import type { Announcer } from "../../store/delta/unsent-counts.ts";
import type { Replicas } from "../../store/replicas/replicas.ts";
import type { Seal } from "../../wire/seal.ts";
import type { ClusterClock } from "../clock/cluster-clock.ts";
import { Envelope } from "../envelope.ts";
import type { ReplicatedLimiters } from "../limiters/replicated-limiters.ts";
import type { Member } from "../membership/member.ts";
import { Slicer, type Slices } from "../slicer.ts";
import { DeltaEncoder } from "./delta-encoder.ts";
import { FlushSchedule, type FlushScheduleOptions, isUrgent } from "./flush-schedule.ts";
import type { FrameSender } from "./frame-sender.ts";

/** How long at most all that was counted is told before something is done that waits for that. */
const FINISH_MS = 1_000;

export interface PublisherOptions extends FlushScheduleOptions {
  readonly seal: Seal;
  readonly clock: ClusterClock;
  readonly replicas: Replicas;
  readonly sender: FrameSender;
  readonly replicatedLimiters: Pick<ReplicatedLimiters, "all" | "hasForgotten">;
  /** How many replicas may keep counts back; infinite while nobody knows. */
  readonly replicaCount: () => number;
  /** Asks to be looked at again at some time. */
  readonly timerAt: (ms: number) => void;
}

/** What somebody is told who has asked, or has missed something. */
export interface Answer {
  /** The frame of counts after which changes are told; infinite for none. */
  readonly since: number;
  /** The replica that it is for; absent when it is for all. */
  readonly to: string | undefined;
  readonly others: readonly Member[];
  /** Whether it is for somebody who has just greeted all that are there. */
  readonly toNewcomer: boolean;
  /** Whether to tell what is left of slots that are over. */
  readonly levels: boolean;
}

export class Publisher implements Announcer {
  readonly #options: PublisherOptions;
  readonly #flushSchedule: FlushSchedule;
  readonly #counts: DeltaEncoder;
  readonly #answers: DeltaEncoder;
  readonly #flushing: Slicer;
  readonly #answering: Slicer;
  /** The number of the last frame of counts that was closed. */
  #closed = 0;
  /** Since when the oldest count waits for the next frame, and for the one that leaves now. */
  #waitsSinceMs = Number.POSITIVE_INFINITY;
  #leavesSinceMs = Number.POSITIVE_INFINITY;
  #finished: { readonly done: (isAll: boolean) => void; readonly endMs: number } | undefined;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#flushSchedule = new FlushSchedule(options);
    const { replicas, seal, sender } = options;
    let telling = 0;
    const deltaEncoder = (): DeltaEncoder =>
      new DeltaEncoder({
        ...options,
        nextTelling: () => ++telling,
        envelope: new Envelope(seal, replicas, sender.transport),
        publish: (frame, to) => sender.publish(frame, to),
      });
    const mustWait = (): boolean => sender.isBusy;
    this.#flushing = new Slicer(mustWait);
    this.#answering = new Slicer(mustWait);
    this.#counts = deltaEncoder();
    this.#answers = deltaEncoder();
  }

  /** The number of the frame in which what changes now will leave. */
  get nextFrame(): number {
    return this.#closed + 1;
  }

  /**
   * When there is something to tell. A flush waits for the one before and for a transport that is
   * busy; whoever ends that asks for it again.
   */
  get dueAtMs(): number {
    const mustWait = !this.#flushing.isIdle || this.#options.sender.isBusy;
    return mustWait ? Number.POSITIVE_INFINITY : this.#flushSchedule.dueAtMs;
  }

  /** Whether frames are being written. */
  get isTelling(): boolean {
    return !this.#flushing.isIdle || this.isAnswering;
  }

  /** Whether an answer is still being written. */
  get isAnswering(): boolean {
    return !this.#answering.isIdle;
  }

  /** For how long the oldest count waits that has not left. */
  heldMs(now: number): number {
    return Math.max(0, Math.ceil(now - Math.min(this.#waitsSinceMs, this.#leavesSinceMs)));
  }

  began(now: number): void {
    this.#timerIf(this.#flushSchedule.changed(now, Number.POSITIVE_INFINITY, 0), now);
  }

  counted(now: number, untold: number, ceiling: number, used: number): void {
    const isSooner = isUrgent(this.#options.replicaCount(), untold, ceiling, used)
      ? this.#flushSchedule.urgent(now)
      : this.#flushSchedule.changed(now, ceiling, used);
    this.#timerIf(isSooner, now);
  }

  urgent(now: number): void {
    this.#timerIf(this.#flushSchedule.urgent(now), now);
  }

  work(now: number): void {
    this.#flushing.goOn();
    this.#answering.goOn();
    if (now >= this.dueAtMs) this.#flush(now);
  }

  /** Tells all that changed after a frame of counts, if any, and all that is known of others. */
  answer(answer: Answer, done?: () => void): void {
    this.#answering.run(this.#answer(answer), done);
  }

  *#answer({ since, to, ...rest }: Answer): Slices {
    while (this.#options.sender.isBusy) yield;
    // What is pending would be in the answer without any other replica having heard of it.
    const now = this.#options.clock.now();
    if (this.dueAtMs < Number.POSITIVE_INFINITY) this.#flush(now);
    else this.#advance(now);
    const upTo = this.#options.sender.counted;
    yield* this.#answers.page({ since: Math.min(since, upTo), upTo, to, ...rest });
  }

  /**
   * For a replica that leaves: goes on at once for a while with telling all that there is to tell, as far as the transport takes
   * it, and has the rest done in the background; returns whether nothing is left to tell.
   */
  finishFor(forMs: number): boolean {
    if (this.#options.sender.isBusy || !this.#flushing.goOnFor(forMs)) return false;
    if (this.#flushSchedule.dueAtMs < Number.POSITIVE_INFINITY) {
      this.#flush(this.#options.clock.now(), true);
      if (!this.#flushing.goOnFor(forMs)) return false;
    }
    return this.#answering.goOnFor(forMs);
  }

  /** Has everybody ask for all that is held. */
  tellHeldAgain(): void {
    for (const { store } of this.#options.replicatedLimiters.all()) {
      store.isHeldUntold = true;
      store.forgottenIn = this.nextFrame;
    }
    this.urgent(this.#options.clock.now());
  }

  /** Tells nothing any more. */
  stop(): void {
    this.#flushing.stop();
    this.#answering.stop();
  }

  /**
   * Tells all that was counted and not told yet, and has something done in the turn in which that has
   * left: at once if it is little. After some time that is done with the next frame that has left, however
   * much has been counted since; it is told whether that is the case. Answers may be much longer and are
   * given up: whoever asked asks again.
   */
  finish(done: (isAll: boolean) => void): void {
    this.#finished = { done, endMs: this.#options.clock.now() + FINISH_MS };
    this.#answering.stop();
    if (this.#flushing.isIdle) this.#endFinish();
  }

  #endFinish(): void {
    if (this.#finished === undefined) return;
    const { done, endMs } = this.#finished;
    const now = this.#options.clock.now();
    const isAll = this.#flushSchedule.dueAtMs === Number.POSITIVE_INFINITY;
    if (!isAll && now < endMs) {
      if (!this.#options.sender.isBusy) this.#flush(now);
      return;
    }
    this.#finished = undefined;
    this.#answering.stop();
    done(isAll);
  }

  /** Nearly every hit finds that there is something to say soon enough anyway. */
  #timerIf(isSooner: boolean, now: number): void {
    if (!isSooner) return;
    this.#waitsSinceMs = Math.min(this.#waitsSinceMs, now);
    this.#options.timerAt(this.dueAtMs);
  }

  /** Tells all stores what time it is. */
  #advance(now: number): void {
    const clusterNow = this.#options.clock.clusterNow(now);
    for (const { store } of this.#options.replicatedLimiters.all()) store.advance(now, clusterNow);
  }

  #flush(now: number, isLast = false): void {
    const { sender, replicatedLimiters, timerAt, replicas } = this.#options;
    this.#advance(now);
    // Who misses a number asks, and is told all that is held, if some release can never leave.
    const stores = Array.from(replicatedLimiters.all(), ({ store }) => store);
    const skipped = stores.some(({ isHeldUntold }) => isHeldUntold) ? 1 : 0;
    const number = this.nextFrame + skipped;
    for (const store of stores) {
      store.frame = number;
      store.closeFrame();
    }
    this.#closed = number;
    this.#leavesSinceMs = this.#waitsSinceMs;
    this.#waitsSinceMs = Number.POSITIVE_INFINITY;
    this.#flushSchedule.left(now, replicas.aliveCount);
    const done = (): void => {
      sender.counted = number;
      this.#leavesSinceMs = Number.POSITIVE_INFINITY;
      this.#endFinish();
      timerAt(this.dueAtMs);
    };
    // What nobody hears need not be said: others see from the number that they have missed it.
    const leaving = sender.isConnected
      ? this.#counts.counts(number, isLast)
      : this.#counts.silence();
    this.#flushing.run(leaving, done);
  }
}
