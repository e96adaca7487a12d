/**
 * Publishes the counts of this process: deltas when they are due, and sync replies when they are
 * owed.
 *
 * All stores close a frame at the same moment and leave in it together, so one number says what all
 * of them have published. Replies may be long; deltas do not wait for them.
 */

import type { Slices } from "../../base/slices.ts";
import type { Announcer } from "../../store/store.ts";
import type { InitialSync } from "../membership/initial-sync.ts";
import type { ReplicaContext } from "../replica-context.ts";
import type { ReplicationTimer } from "../replication-timer.ts";
import { Slicer } from "../slicer.ts";
import { DeltaEncoder, type SyncReply } from "./delta-encoder.ts";
import { FlushSchedule, type FlushScheduleOptions, isUrgent } from "./flush-schedule.ts";

/** How long `finish` goes on publishing at most, before the work that waits for it is done. */
const FINISH_MS = 1_000;

export class Publisher implements Announcer {
  readonly #context: ReplicaContext;
  readonly #initialSync: InitialSync;
  readonly #timer: ReplicationTimer;
  readonly #flushSchedule: FlushSchedule;
  readonly #counts: DeltaEncoder;
  readonly #replies: DeltaEncoder;
  readonly #flushing: Slicer;
  readonly #replying: Slicer;
  /** The number of the last frame of counts that was closed. */
  #closed = 0;
  /** Since when the oldest count waits that will leave in the next frame. */
  #waitsSinceMs = Number.POSITIVE_INFINITY;
  /** Since when the oldest count has waited that leaves in the frame being written. */
  #leavesSinceMs = Number.POSITIVE_INFINITY;
  #finished: { readonly done: (isAll: boolean) => void; readonly endMs: number } | undefined;

  /** @param timer calls `work` */
  constructor(
    context: ReplicaContext,
    schedule: FlushScheduleOptions,
    initialSync: InitialSync,
    timer: ReplicationTimer,
  ) {
    this.#context = context;
    this.#initialSync = initialSync;
    this.#timer = timer;
    this.#flushSchedule = new FlushSchedule(schedule);
    const mustWait = (): boolean => context.sender.isBusy;
    this.#flushing = new Slicer(mustWait);
    this.#replying = new Slicer(mustWait);
    this.#counts = new DeltaEncoder(context);
    this.#replies = new DeltaEncoder(context);
  }

  /** The number of the frame in which a change made now will leave. */
  get nextFrame(): number {
    return this.#closed + 1;
  }

  /** Whether this replica has not yet closed a frame of that number. */
  isAhead(number: number): boolean {
    return number > this.#closed;
  }

  /**
   * When there is something to publish. A flush waits for the one before and for a transport that
   * is busy. What ends that asks for the time again.
   */
  get dueAtMs(): number {
    const mustWait = !this.#flushing.isIdle || this.#context.sender.isBusy;
    return mustWait ? Number.POSITIVE_INFINITY : this.#flushSchedule.dueAtMs;
  }

  /** Whether frames are being written. */
  get isPublishing(): boolean {
    return !this.#flushing.isIdle || this.isReplying;
  }

  /** Whether a sync reply is still being written. */
  get isReplying(): boolean {
    return !this.#replying.isIdle;
  }

  /** For how long the oldest unsent count has waited. */
  unsentAgeMs(now: number): number {
    return Math.max(0, Math.ceil(now - Math.min(this.#waitsSinceMs, this.#leavesSinceMs)));
  }

  began(now: number): void {
    this.#timerIf(this.#flushSchedule.changed(now, Number.POSITIVE_INFINITY, 0), now);
  }

  counted(now: number, unsent: number, limit: number, used: number): void {
    // Until the initial sync is over, it is not known how many replicas hold counts back.
    const { isOver } = this.#initialSync;
    const replicaCount = isOver ? this.#context.replicas.aliveCount : Number.POSITIVE_INFINITY;
    const isSooner = isUrgent(unsent, limit - used, replicaCount)
      ? this.#flushSchedule.due(now)
      : this.#flushSchedule.changed(now, limit, used);
    this.#timerIf(isSooner, now);
  }

  urgent(now: number): void {
    this.#timerIf(this.#flushSchedule.due(now), now);
  }

  work(now: number): void {
    this.#flushing.goOn();
    this.#replying.goOn();
    if (now >= this.dueAtMs) this.#flush(now);
  }

  /**
   * Publishes all that changed after a frame of counts, if any, and all that is known of others.
   */
  reply(reply: SyncReply, done?: () => void): void {
    this.#replying.run(this.#reply(reply), done);
  }

  *#reply(reply: SyncReply): Slices {
    while (this.#context.sender.isBusy) yield;
    // Pending counts would be in the reply although no other replica received them in a frame.
    const now = this.#context.clock.now();
    if (this.dueAtMs < Number.POSITIVE_INFINITY) this.#flush(now);
    else this.#advance(now);
    yield* this.#replies.reply(reply, this.#context.sender.counted);
  }

  /**
   * For a leaving replica: publishes at once, for a while, all that is pending and that the
   * transport takes. The rest goes on in the background. Returns whether nothing is pending.
   */
  finishFor(forMs: number): boolean {
    if (this.#context.sender.isBusy || !this.#flushing.goOnFor(forMs)) return false;
    if (this.#flushSchedule.dueAtMs < Number.POSITIVE_INFINITY) {
      this.#flush(this.#context.clock.now(), true);
      if (!this.#flushing.goOnFor(forMs)) return false;
    }
    return this.#replying.goOnFor(forMs);
  }

  /** Makes all replicas request the held permits: the next frame number leaves a gap. */
  republishHeld(): void {
    for (const { store } of this.#context.replicatedLimiters.all()) {
      store.isHeldUntold = true;
      store.forgottenIn = this.nextFrame;
    }
    this.urgent(this.#context.clock.now());
  }

  /** Publishes nothing any more. */
  stop(): void {
    this.#flushing.stop();
    this.#replying.stop();
  }

  /**
   * Publishes all pending counts, and calls `done` in the turn in which they have left: at once if
   * they are few. After a bounded time it is called after the next frame, even if more was counted
   * since; its argument says whether everything was published. Sync replies may be much longer and
   * are dropped: the replicas that asked will ask again.
   */
  finish(done: (isAll: boolean) => void): void {
    this.#finished = { done, endMs: this.#context.clock.now() + FINISH_MS };
    this.#replying.stop();
    if (this.#flushing.isIdle) this.#endFinish();
  }

  #endFinish(): void {
    if (this.#finished === undefined) return;
    const { done, endMs } = this.#finished;
    const now = this.#context.clock.now();
    const isAll = this.#flushSchedule.dueAtMs === Number.POSITIVE_INFINITY;
    if (!isAll && now < endMs) {
      if (!this.#context.sender.isBusy) this.#flush(now);
      return;
    }
    this.#finished = undefined;
    this.#replying.stop();
    done(isAll);
  }

  /** Sets the timer only if needed: nearly every hit finds it set already. */
  #timerIf(isSooner: boolean, now: number): void {
    if (!isSooner) return;
    this.#waitsSinceMs = Math.min(this.#waitsSinceMs, now);
    this.#timer.at(this.dueAtMs);
  }

  /** Gives all stores the present time. */
  #advance(now: number): void {
    const clusterNow = this.#context.clock.clusterNow(now);
    for (const { store } of this.#context.replicatedLimiters.all()) store.advance(now, clusterNow);
  }

  #flush(now: number, isLast = false): void {
    const { sender, replicatedLimiters, replicas } = this.#context;
    this.#advance(now);
    // A replica that misses a number asks, and gets all that is held, if some release cannot leave.
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
      this.#timer.at(this.dueAtMs);
    };
    // While disconnected, only the number advances: other replicas notice the gap and ask for it.
    const leaving = sender.isConnected
      ? this.#counts.counts(number, isLast)
      : this.#counts.silence();
    this.#flushing.run(leaving, done);
  }
}
