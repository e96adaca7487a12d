/**
 * A cluster member that its owner steps: no timer, no transport, no global clock. Simulators run
 * whole fleets of them in one process, in time of their own.
 *
 * It is the replica that ships, with what limiters need of the process around it. The owner calls
 * `step` when something happens, `work` and `poll` as often as it likes, and a tick at the latest by
 * `deadline`. Limiters are made with `cluster`, as everywhere.
 */

import type { EventKind } from "../base/cluster-events.ts";
import type { ReplicaHost } from "../driver/replica-host.ts";
import type { ReplicatedLimiter } from "../protocol/limiters/replicated-limiter.ts";
import {
  type Effect,
  Replica,
  type ReplicaEvent,
  type SeparatedMode,
  type TransportState,
} from "../protocol/replica.ts";
import { markAsMade } from "../runtime/copies.ts";
import type { Beat } from "../runtime/process-timer.ts";
import { type Clock, SteadyTime } from "../time/clock.ts";
import type { Cluster } from "./cluster.ts";
import { type ClusterStatus, statusOf } from "./cluster-status.ts";

/** How often limiters free keys whose counts are over. */
const BEAT_MS = 1_000;
/** How many looks at the time a beat gets: each sweeps some hundred records. */
const LOOKS_A_BEAT = 64;

export interface SteppedClusterOptions {
  /** 16 hexadecimal digits, which no other replica ever had. The first 12 are its address. */
  readonly id: string;
  /** @default "default" */
  readonly namespace?: string;
  readonly secret?: string | Uint8Array | undefined;
  /** Its own clock, and the wall clock of its machine. Every call reads it. */
  readonly clock: Clock;
  /** From 0 to 1. All that is random in the replica comes from here. */
  readonly random: () => number;
  /** @default 50 */
  readonly flushMs?: number;
  /** @default 3_000 */
  readonly readyTimeoutMs?: number;
  /** @default "share" */
  readonly onCold?: SeparatedMode;
  /** @default true */
  readonly anticipate?: boolean;
  /** A limiter has brought the deadline forward. Called within its calls, for example `check`. */
  readonly deadlineIsSooner?: () => void;
}

/** What happens to a replica, as far as its owner sees it. */
export type SteppedEvent =
  | { readonly type: "tick"; readonly lateMs?: number }
  | { readonly type: "frame"; readonly frame: Uint8Array }
  | { readonly type: "transport"; readonly state: Readonly<TransportState> }
  | { readonly type: "sent"; readonly bytes: number; readonly isTaken: boolean }
  | { readonly type: "leave"; readonly atOnce?: boolean };

/** What a replica wants its owner to do. */
export type SteppedEffect =
  /** Send a frame, to the replica at an address or to all, and step with `sent`. */
  | { readonly type: "send"; readonly frame: Uint8Array; readonly to: string | undefined }
  | { readonly type: "report"; readonly sentence: string; readonly kind: EventKind }
  /** The initial sync is over. */
  | { readonly type: "ready" }
  /** Everything has been sent, and nothing follows. */
  | { readonly type: "left" };

export interface SteppedCluster {
  /** Give it to `createLimiter`. Its `leave` steps with `leave`; the owner polls on. */
  readonly cluster: Cluster;
  /** The name by which transports know this replica. */
  readonly address: string;
  /** Something has happened. */
  step(event: SteppedEvent): void;
  /** Goes on with long work, up to so many slices of some dozen records; returns whether there is more. */
  work(slices: number): boolean;
  /** Whether `work` has something to do. */
  readonly hasWork: boolean;
  /** What the replica wants next, if anything. */
  poll(): SteppedEffect | undefined;
  /** By its own clock, when to step with a tick at the latest. */
  deadline(): number;
}

/** The same with what the tests of this package look into. */
export class SteppedReplica implements SteppedCluster, ReplicaHost, Cluster {
  readonly replica: Replica;
  readonly time: SteadyTime;
  readonly random: () => number;
  readonly ready: Promise<void>;
  readonly #namespace: string;
  readonly #options: SteppedClusterOptions;
  readonly #beats = new Set<Beat>();
  #beatsAtMs: number;
  #resolveReady: () => void = () => {};
  #resolveLeft: () => void = () => {};
  readonly #left: Promise<void>;
  #troubles = 0;
  #lastTrouble: string | null = null;

  constructor(options: SteppedClusterOptions) {
    const { id, namespace = "default", secret, clock, random } = options;
    const { flushMs = 50, readyTimeoutMs = 3_000, onCold = "share" } = options;
    const { anticipate: anticipates } = options;
    this.#options = options;
    this.#namespace = namespace;
    this.random = random;
    this.time = new SteadyTime(clock);
    this.#beatsAtMs = this.time.read() + BEAT_MS;
    this.replica = new Replica({
      ...{ id, namespace, secret, random, flushMs, readyTimeoutMs, onCold, anticipates },
      nowMs: this.time.read(),
      wallMs: this.time.wall(),
    });
    this.ready = new Promise((resolve) => {
      this.#resolveReady = resolve;
    });
    this.#left = new Promise((resolve) => {
      this.#resolveLeft = resolve;
    });
    markAsMade(this, "cluster", this);
  }

  get cluster(): Cluster {
    return this;
  }

  get address(): string {
    return this.replica.address;
  }

  // ── What its owner calls ─────────────────────────────────────────────────────────────────────

  step(event: SteppedEvent): void {
    if (event.type === "tick") {
      const { lateMs = 0 } = event;
      this.#step({ type: "tick", wallMs: this.time.wall(), lateMs });
      this.#beat();
    } else {
      this.#step(event);
    }
  }

  work(slices: number): boolean {
    return this.replica.work(slices, this.time.read());
  }

  get hasWork(): boolean {
    return this.replica.hasWork;
  }

  poll(): SteppedEffect | undefined {
    const effect: Effect | undefined = this.replica.poll(this.time.read());
    if (effect?.type === "ready") this.#resolveReady();
    else if (effect?.type === "left") this.#end();
    else if (effect?.type === "report" && effect.kind.severity !== "info") {
      this.#troubles++;
      this.#lastTrouble = effect.sentence;
    }
    return effect;
  }

  deadline(): number {
    return this.replica.deadline();
  }

  // ── What limiters call ───────────────────────────────────────────────────────────────────────

  attach(limiter: ReplicatedLimiter): void {
    this.#step({ type: "attach", limiter });
    this.deadlineIsSooner();
  }

  detach(limiter: ReplicatedLimiter): void {
    this.#step({ type: "detach", limiter });
    this.deadlineIsSooner();
  }

  deadlineIsSooner(): void {
    this.#options.deadlineIsSooner?.();
  }

  joinTimer(beat: Beat): void {
    this.#beats.add(beat);
  }

  leaveTimer(beat: Beat): void {
    this.#beats.delete(beat);
  }

  // ── What users call ──────────────────────────────────────────────────────────────────────────

  leave(): Promise<void> {
    this.step({ type: "leave" });
    this.deadlineIsSooner();
    return this.#left;
  }

  status(): ClusterStatus {
    return {
      ...statusOf(this),
      namespace: this.#namespace,
      troubles: this.#troubles,
      lastTrouble: this.#lastTrouble,
    };
  }

  #step(event: ReplicaEvent): void {
    this.replica.step(event, this.time.read());
  }

  /** Has limiters free keys whose counts are over, once a second. */
  #beat(): void {
    const now = this.time.read();
    if (now < this.#beatsAtMs) return;
    this.#beatsAtMs = now + BEAT_MS;
    for (const beat of Array.from(this.#beats)) {
      let looks = LOOKS_A_BEAT;
      if (beat(() => looks-- > 0) === "done") this.#beats.delete(beat);
    }
  }

  #end(): void {
    for (const { holder } of this.replica.replicatedLimiters.open()) holder.close();
    this.#resolveReady();
    this.#resolveLeft();
  }
}

/** A member of a cluster that its owner steps. */
export function steppedCluster(options: SteppedClusterOptions): SteppedCluster {
  return new SteppedReplica(options);
}
