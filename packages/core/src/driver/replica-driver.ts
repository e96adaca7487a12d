/**
 * Runs the replica of this process: the only owner of its timer, clock, transport and work budget.
 *
 * The driver steps the replica with what happens, and does what the replica wants. After each event
 * it lets the replica work for up to two milliseconds of a turn. The rest of the work waits for the
 * background of the process, which all replicas and limiters of the process share.
 *
 * The replica is never entered while it runs. What a transport delivers while it publishes, and what
 * user code does from a report, waits until the present event is done.
 */

import { isUint8Array } from "node:util/types";
import { CLUSTER_EVENTS, type Report } from "../base/cluster-events.ts";
import type { ReplicatedLimiter } from "../protocol/limiters/replicated-limiter.ts";
import {
  type Effect,
  Replica,
  type ReplicaEvent,
  type ReplicaOptions,
  type TransportState,
} from "../protocol/replica.ts";
import { doInBackground, leaveUndone } from "../runtime/background.ts";
import { type Beat, joinProcessTimer, leaveProcessTimer } from "../runtime/process-timer.ts";
import { type Clock, SteadyTime } from "../time/clock.ts";
import { GuardedTransport } from "../transport/guarded-transport.ts";
import type { Transport } from "../transport/transport.ts";
import type { ReplicaHost } from "./replica-host.ts";

/** How much work may be done at once between two turns of the background. */
const AT_ONCE_MS = 2;
/** How many slices of work are done between two looks at the clock. */
const SLICES_AT_ONCE = 2;
/** Longer waits are split. */
const WAIT_MS_MAX = 60_000;
/** How long a leaving replica waits for a transport that has lost its connection. */
const CONNECT_MS = 1_000;
/** How long leaving may take, and how long closing the transport may take at least. */
const LEAVE_MS = 5_000;
const CLOSE_MS_LEAST = 2_500;
/** Until a leaving replica looks at the transport again. */
const PAUSE_MS = 10;

export interface ReplicaDriverOptions extends Omit<ReplicaOptions, "nowMs" | "wallMs"> {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly report: Report;
}

export class ReplicaDriver implements ReplicaHost {
  readonly replica: Replica;
  readonly time: SteadyTime;
  /** Resolves when the initial sync is over; never rejects. */
  readonly ready: Promise<void>;
  readonly random: () => number;

  readonly #namespace: string;
  readonly #transport: GuardedTransport;
  readonly #report: Report;
  #state: TransportState;
  #events: ReplicaEvent[] = [];
  #isRunning = false;
  /** Time that was spent on work since the last turn of the background. */
  #spentMs = 0;
  readonly #background = (forMs: number): boolean => this.#workFor(forMs);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wakesAtMs: number = Number.POSITIVE_INFINITY;
  #resolveReady: () => void = () => {};
  #left = false;
  #leaving: Promise<void> | undefined;

  constructor({ transport, clock, report, ...options }: ReplicaDriverOptions) {
    this.#namespace = options.namespace;
    this.#report = report;
    this.random = options.random;
    this.#transport = new GuardedTransport(transport, report);
    this.time = new SteadyTime(clock);
    this.replica = new Replica({
      ...options,
      nowMs: this.time.read(),
      wallMs: this.time.wall(),
    });
    this.#state = { isConnected: false, isBusy: false, maxPayload: 0, trouble: undefined };
    this.ready = new Promise((resolve) => {
      this.#resolveReady = resolve;
    });
  }

  /** Whether frames can leave, as far as the transport reports. */
  get isConnected(): boolean {
    return this.#transport.connected;
  }

  /** Begins to receive and to publish. */
  open(): void {
    const { address: replica } = this.replica;
    const context = { namespace: this.#namespace, replica, changed: () => this.#tick(0) };
    try {
      this.#transport.open((frame) => this.#received(frame), context);
    } catch (error) {
      // The transport may have kept the callbacks, but this replica must not act any more.
      this.#stop();
      throw error;
    }
    this.#tick(0);
  }

  attach(limiter: ReplicatedLimiter): void {
    this.#do({ type: "attach", limiter }, 0);
  }

  detach(limiter: ReplicatedLimiter): void {
    this.#do({ type: "detach", limiter }, 0);
  }

  deadlineIsSooner(): void {
    if (!this.#isRunning) this.#wakeAt(this.replica.deadline());
  }

  joinTimer(beat: Beat): void {
    joinProcessTimer(beat);
  }

  leaveTimer(beat: Beat): void {
    leaveProcessTimer(beat);
  }

  /** Publishes the rest, sends a leave frame, and closes everything; waits until it has left. */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  // ── Events ───────────────────────────────────────────────────────────────────────────────────

  #received(frame: unknown): void {
    if (this.#left) return;
    // `instanceof` does not do: a test runner may have other globals than the transport.
    if (isUint8Array(frame)) this.#do({ type: "frame", frame });
    else this.replica.rejections.frame("malformed");
  }

  #tick(lateMs: number): void {
    if (this.#left) return;
    const change = this.#transportChange();
    if (change !== undefined) this.#do(change);
    this.#do({ type: "tick", wallMs: this.time.wall(), lateMs });
  }

  /**
   * Steps with an event, unless one is being done: then it comes after that.
   *
   * @param atOnceMs how much work may follow at once
   */
  #do(event: ReplicaEvent, atOnceMs = AT_ONCE_MS): void {
    this.#events.push(event);
    if (this.#isRunning) return;
    this.#run(() => {
      if (this.#spentMs >= atOnceMs || !this.replica.hasWork) return;
      const startMs = performance.now();
      this.#workUntil(startMs + atOnceMs - this.#spentMs);
      this.#spentMs += performance.now() - startMs;
    });
    // The next turn of the background also begins a new share of work at once.
    if (this.#spentMs > 0 || this.replica.hasWork) doInBackground(this.#background);
  }

  #workFor(forMs: number): boolean {
    this.#spentMs = 0;
    this.#run(() => this.#workUntil(performance.now() + forMs));
    return this.replica.hasWork;
  }

  /** Does all events that wait, and then some work. */
  #run(work: () => void): void {
    this.#isRunning = true;
    try {
      this.#doEvents();
      work();
    } finally {
      this.#isRunning = false;
    }
    this.#wakeAt(this.replica.deadline());
  }

  #doEvents(): void {
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
      this.replica.step(event, this.time.read());
      this.#doEffects();
    }
  }

  #workUntil(endMs: number): void {
    while (this.replica.hasWork) {
      this.replica.work(SLICES_AT_ONCE, this.time.read());
      this.#doEffects();
      this.#doEvents();
      if (performance.now() >= endMs) return;
    }
  }

  // ── Effects ──────────────────────────────────────────────────────────────────────────────────

  #doEffects(): void {
    const { replica, time } = this;
    let effect = replica.poll(time.read());
    for (; effect !== undefined; effect = replica.poll(time.read())) this.#doEffect(effect);
  }

  #doEffect(effect: Effect): void {
    if (effect.type === "send") {
      const bytes = effect.frame.length;
      const isTaken = this.#transport.publish(effect.frame, effect.to);
      this.replica.step({ type: "sent", bytes, isTaken }, this.time.read());
      const change = this.#transportChange();
      if (change !== undefined) this.replica.step(change, this.time.read());
    } else if (effect.type === "report") this.#report(effect.sentence, effect.kind);
    else if (effect.type === "ready") this.#resolveReady();
    else this.#stop();
  }

  /** The event that the transport has changed, if it has. */
  #transportChange(): ReplicaEvent | undefined {
    const { connected: isConnected, busy: isBusy, maxPayload } = this.#transport;
    if (isConnected) this.#transport.trouble = undefined;
    const { trouble } = this.#transport;
    const before = this.#state;
    if (
      isConnected === before.isConnected &&
      isBusy === before.isBusy &&
      maxPayload === before.maxPayload &&
      trouble === before.trouble
    ) {
      return undefined;
    }
    this.#state = { isConnected, isBusy, maxPayload, trouble };
    return { type: "transport", state: this.#state };
  }

  // ── The timer ────────────────────────────────────────────────────────────────────────────────

  /** Wakes at this own time, unless it is to wake sooner. */
  #wakeAt(atMs: number): void {
    if (atMs >= this.#wakesAtMs) return;
    this.#wakesAtMs = atMs;
    clearTimeout(this.#timer);
    const now = this.time.read();
    const waitMs = Math.min(Math.max(0, atMs - now), WAIT_MS_MAX);
    this.#timer = setTimeout(() => {
      this.#wakesAtMs = Number.POSITIVE_INFINITY;
      this.#tick(this.time.read() - (now + waitMs));
    }, waitMs);
    // It never keeps the process alive.
    this.#timer.unref();
  }

  // ── Leaving ──────────────────────────────────────────────────────────────────────────────────

  async #leave(): Promise<void> {
    const endMs = performance.now() + LEAVE_MS;
    // When all processes leave at once, the one that relayed for the others may have just left.
    if (!this.isConnected) await this.#connected();
    this.#do({ type: "leave" });
    if (!this.isConnected) this.#do({ type: "leave", atOnce: true });
    for (; !this.#left; this.#tick(0)) {
      if (!this.isConnected) await this.#connected();
      else if (this.#transport.busy) await pause();
      else await new Promise((resolve) => setImmediate(resolve));
      const isLate = performance.now() >= endMs;
      if (isLate) {
        this.#report(
          "this process left before all of its counts were published: the transport takes too few frames at a time, or is not connected. Other processes do not know the last hits",
          CLUSTER_EVENTS.leftEarly,
        );
      }
      if (isLate || !this.isConnected) this.#do({ type: "leave", atOnce: true });
    }
    await this.#close(Math.max(endMs - performance.now(), CLOSE_MS_LEAST));
  }

  /** Waits for a while until the transport is connected. */
  async #connected(): Promise<void> {
    for (let waitedMs = 0; !this.isConnected && waitedMs < CONNECT_MS; waitedMs += PAUSE_MS) {
      await pause();
    }
  }

  /** Nothing more is done: this replica has left, or it never began. */
  #stop(): void {
    this.#left = true;
    this.#events = [];
    clearTimeout(this.#timer);
    this.#wakesAtMs = Number.NEGATIVE_INFINITY;
    leaveUndone(this.#background);
    for (const { holder } of this.replica.replicatedLimiters.open()) holder.close();
    this.#resolveReady();
  }

  /** Closes the transport, and waits for that while there is time. */
  async #close(forMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#report(
          "the transport did not close in time: the last frames of this process may be lost",
          CLUSTER_EVENTS.leftEarly,
        );
        resolve();
      }, forMs);
      timer.unref();
    });
    try {
      await Promise.race([this.#transport.close(), late]);
    } catch (error) {
      this.#report(`the transport could not be closed: ${error}`, CLUSTER_EVENTS.transportTrouble);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
