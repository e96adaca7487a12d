/**
 * Publishes the counts of this process: deltas when they are due, and sync replies when they are
 * owed.
 *
 * All stores close a frame at the same moment and leave in it together, so one number says what all
 * of them have published. Replies may be long; deltas do not wait for them.
 */

import type { Slices } from "../../base/slices.ts";
import type { InitialSync } from "../membership/initial-sync.ts";
import type { ReplicaContext } from "../replica-context.ts";
import { Slicer } from "../scheduler.ts";
import { DeltaEncoder, type SyncReply } from "./delta-encoder.ts";
import { FlushSchedule, isUrgent, scheduleOf } from "./flush-schedule.ts";

/** How long a replica that changes its id goes on publishing at most. */
const FINISH_MS = 1_000;
const NEVER = Number.POSITIVE_INFINITY;

export class Publisher {
  readonly #context: ReplicaContext;
  readonly #initialSync: InitialSync;
  readonly #flushSchedule: FlushSchedule;
  readonly #counts: DeltaEncoder;
  readonly #replies: DeltaEncoder;
  readonly #flushing: Slicer;
  readonly #replying: Slicer;
  /** The number of the last frame of counts that was closed. */
  #closed = 0;
  /** Since when the oldest count waits that will leave in the next frame. */
  #waitsSinceMs: number = NEVER;
  /** Since when the oldest count has waited that leaves in the frame being written. */
  #leavesSinceMs: number = NEVER;
  /** Until when a change of the id waits for unpublished counts; infinite without a change. */
  #finishesAtMs: number = NEVER;

  constructor(context: ReplicaContext, flushMs: number, initialSync: InitialSync) {
    this.#context = context;
    this.#initialSync = initialSync;
    this.#flushSchedule = new FlushSchedule(scheduleOf(flushMs));
    const { sender, scheduler } = context;
    const [counts, replies] = [sender.addLane(), sender.addLane()];
    this.#flushing = new Slicer(scheduler, counts);
    this.#replying = new Slicer(scheduler, replies);
    this.#counts = new DeltaEncoder(context, counts);
    this.#replies = new DeltaEncoder(context, replies);
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
   * When a delta is due. It waits for the one before and for the transport; while the id is about
   * to change, `finished` publishes.
   */
  get dueAtMs(): number {
    const { isBusy } = this.#context.sender.transport;
    const mustWait = isBusy || !this.#flushing.isIdle || this.#finishesAtMs < NEVER;
    return mustWait ? NEVER : this.#flushSchedule.dueAtMs;
  }

  /** Whether frames are being written. */
  get isPublishing(): boolean {
    return !this.#flushing.isIdle || this.isReplying;
  }

  /** Whether a sync reply is still being written. */
  get isReplying(): boolean {
    return !this.#replying.isIdle;
  }

  /** The least time between two frames, and so how long an urgent count may wait. */
  get spacingMs(): number {
    return this.#flushSchedule.spacingMs(this.#context.replicas.aliveCount);
  }

  /** For how long the oldest unsent count has waited. */
  unsentAgeMs(now: number): number {
    return Math.max(0, Math.ceil(now - Math.min(this.#waitsSinceMs, this.#leavesSinceMs)));
  }

  // ── What stores announce; each returns whether the next frame is due sooner than before ──────

  began(now: number): boolean {
    return this.#sooner(this.#flushSchedule.changed(now, NEVER, 0), now);
  }

  counted(now: number, unsent: number, limit: number, used: number): boolean {
    // Until the initial sync is over, it is not known how many replicas hold counts back.
    const replicaCount = this.#initialSync.isOver ? this.#context.replicas.aliveCount : NEVER;
    const isSooner = isUrgent(unsent, limit - used, replicaCount)
      ? this.#flushSchedule.due(now)
      : this.#flushSchedule.changed(now, limit, used);
    return this.#sooner(isSooner, now);
  }

  urgent(now: number): boolean {
    return this.#sooner(this.#flushSchedule.due(now), now);
  }

  #sooner(isSooner: boolean, now: number): boolean {
    if (isSooner) this.#waitsSinceMs = Math.min(this.#waitsSinceMs, now);
    return isSooner;
  }

  // ── What the replica has it do ───────────────────────────────────────────────────────────────

  /** Begins the delta that is due. */
  work(now: number): void {
    if (now >= this.dueAtMs) this.#flush(now);
  }

  /**
   * Publishes all that changed after a frame of counts, if any, and all that is known of others.
   */
  reply(reply: SyncReply, done?: () => void): void {
    this.#replying.run(this.#reply(reply), done);
  }

  *#reply(reply: SyncReply): Slices {
    // Pending counts would be in the reply although no other replica received them in a frame.
    const now = this.#context.clock.now();
    if (this.dueAtMs < NEVER) this.#flush(now);
    else this.#advance(now);
    while (!this.#flushing.isIdle) yield;
    yield* this.#replies.reply(reply, this.#context.sender.counted);
  }

  /**
   * For a leaving replica: begins to publish what is pending. Returns whether everything has been
   * published.
   */
  drain(now: number): boolean {
    if (this.isPublishing || this.#context.sender.transport.isBusy) return false;
    if (this.#flushSchedule.dueAtMs === NEVER) return true;
    this.#flush(now, true);
    return false;
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
   * The id of this replica is about to change: all counts are to be published under the old one.
   * Sync replies may be much longer and are dropped: the replicas that asked will ask again.
   */
  finish(now: number): void {
    this.#finishesAtMs = now + FINISH_MS;
    this.#replying.stop();
  }

  /**
   * Whether the id can change now, because all counts are published, or all until a while ago;
   * undefined while it must wait.
   */
  finished(now: number): "all" | "some" | undefined {
    if (!this.#flushing.isIdle) return undefined;
    const isAll = this.#flushSchedule.dueAtMs === NEVER;
    if (!isAll && now < this.#finishesAtMs) {
      if (!this.#context.sender.transport.isBusy) this.#flush(now);
      return undefined;
    }
    this.#finishesAtMs = NEVER;
    this.#replying.stop();
    return isAll ? "all" : "some";
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
    this.#waitsSinceMs = NEVER;
    this.#flushSchedule.left(now, replicas.aliveCount);
    // While disconnected, only the number advances: other replicas notice the gap and ask for it.
    const leaving = sender.transport.isConnected
      ? this.#counts.counts(number, isLast)
      : this.#counts.silence();
    this.#flushing.run(leaving, () => {
      sender.counted = number;
      this.#leavesSinceMs = NEVER;
    });
  }
}
