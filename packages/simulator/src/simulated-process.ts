/**
 * One process of a simulated fleet: a replica and its limiters, and an event loop around them.
 *
 * A turn of the loop steps the replica with one event and then lets it work. How much work a turn
 * does is a choice of the simulation, so slices are cut wherever a seed says. Work takes time if a
 * slice has a price. What happens meanwhile waits, in its order, as in a process.
 */

import type { Cluster } from "@tidegate/core";
import {
  type SteppedCluster,
  type SteppedClusterOptions,
  type SteppedEvent,
  steppedCluster,
} from "@tidegate/core/simulation";
import { type ClockFaults, VirtualClock } from "./virtual-clock.ts";
import type { NetworkEnd, VirtualNetwork } from "./virtual-network.ts";
import type { Planned, VirtualTime } from "./virtual-time.ts";

/** No timer fires sooner than after that. */
const TIMER_MS_LEAST = 1;
/** A turn without a limit ends after so many slices. */
const SLICES_MAX = 1_000_000;
/** For how long a process that leaves waits for its transport. */
const LEAVE_MS = 5_000;

export interface ProcessOptions
  extends Pick<
    SteppedClusterOptions,
    "namespace" | "secret" | "flushMs" | "readyTimeoutMs" | "onCold"
  > {
  readonly id: string;
  readonly clock?: ClockFaults;
  /** How many slices of work the next turn does; all of them when absent. */
  readonly slicesPerTurn?: () => number;
  /** What a slice of work takes. */
  readonly sliceMs?: number;
  /** For how long the process does other things before it goes on with work that was cut. */
  readonly pauseMs?: () => number;
  /** The longest frame that its transport takes. */
  readonly maxPayload?: number;
  /** Makes what runs the replica; tests that look into a replica pass their own. */
  readonly step?: (options: SteppedClusterOptions) => SteppedCluster;
}

export interface ProcessWorld {
  readonly time: VirtualTime;
  readonly network: VirtualNetwork;
  readonly random: () => number;
}

export class SimulatedProcess implements NetworkEnd {
  readonly clock: VirtualClock;
  readonly stepped: SteppedCluster;
  /** What limiters are made with. */
  readonly cluster: Cluster;
  readonly troubles: string[] = [];
  /** Slices of work that were done, turns that had work, and turns that ended with work left. */
  slices = 0;
  workTurns = 0;
  cutTurns = 0;
  /** Ticks after which a deadline was over already, although no work was left. */
  missedDeadlines = 0;
  /** Frames that were sent, and their bytes. */
  frames = 0;
  bytes = 0;
  isOver = false;
  readonly #world: ProcessWorld;
  readonly #options: ProcessOptions;
  #isBusy = false;
  #isConnected = true;
  #timer: Planned | undefined;
  /** By its own clock, when the timer is to fire. */
  #wakesAtMs: number = Number.POSITIVE_INFINITY;
  /** Until when the present turn lasts, and what happens after it. */
  #freeAtMs = 0;
  #waiting: (() => void)[] = [];
  #isInTurn = false;

  constructor(world: ProcessWorld, options: ProcessOptions) {
    const { step = steppedCluster, id, namespace, secret } = options;
    const { flushMs = 50, readyTimeoutMs = 3_000, onCold = "share" } = options;
    this.#world = world;
    this.#options = options;
    this.clock = new VirtualClock(world.time, options.clock);
    this.stepped = step({
      ...{ id, secret, clock: this.clock, random: world.random },
      ...{ flushMs, readyTimeoutMs, onCold },
      ...(namespace !== undefined && { namespace }),
      deadlineIsSooner: () => this.#planWake(),
    });
    this.cluster = this.stepped.cluster;
  }

  get address(): string {
    return this.stepped.address;
  }

  /** Begins to receive and to publish. */
  open(): void {
    this.#world.network.join(this);
    this.#transportChanged();
    this.#happens({ type: "tick" });
  }

  receive(frame: Uint8Array): void {
    this.#happens({ type: "frame", frame });
  }

  /** Its transport makes frames wait from now on, or not any more. */
  setBusy(isBusy: boolean): void {
    if (isBusy === this.#isBusy) return;
    this.#isBusy = isBusy;
    this.#transportChanged();
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Its transport loses its connection, or has it again. */
  setConnected(isConnected: boolean): void {
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    this.#transportChanged();
  }

  /** Code of the user runs, for example a request: as soon as the event loop is free. */
  run(act: () => void): void {
    this.#soon(() => {
      act();
      this.#turn();
    });
  }

  /** The machine sleeps: nothing happens here, and its own clock stands still. */
  suspend(): void {
    this.clock.stop();
    this.#timer?.cancel();
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
  }

  resume(): void {
    this.clock.goOn();
    this.#afterTurn();
    this.#happens({ type: "tick" });
  }

  /** Its own clock jumps forward. */
  skipClock(ms: number): void {
    this.clock.skip(ms);
    this.#timer?.cancel();
    this.#wakesAtMs = Number.POSITIVE_INFINITY;
    this.#planWake();
  }

  /** Ends without a word. */
  crash(): void {
    this.isOver = true;
    this.#timer?.cancel();
    this.#waiting = [];
    this.#world.network.leave(this);
  }

  /** Publishes what is pending, says that it leaves, and ends. */
  leave(): void {
    this.#happens({ type: "leave" });
    this.#world.time.after(LEAVE_MS, () => this.#happens({ type: "leave", atOnce: true }));
  }

  #transportChanged(): void {
    const { maxPayload = 65_535 } = this.#options;
    const [isConnected, isBusy] = [this.#isConnected, this.#isBusy];
    this.#happens({
      type: "transport",
      state: { isConnected, isBusy, maxPayload, trouble: undefined },
    });
  }

  #happens(event: SteppedEvent): void {
    this.#soon(() => {
      this.stepped.step(event);
      this.#turn();
      if (event.type === "tick") this.#lookAtDeadline();
    });
  }

  /** Does something now, or when the event loop is free. */
  #soon(act: () => void): void {
    if (this.isOver) return;
    const { time } = this.#world;
    if (!this.clock.isStopped && !this.#isInTurn && time.nowMs >= this.#freeAtMs) {
      this.#inTurn(act);
      return;
    }
    this.#waiting.push(act);
    if (this.#waiting.length === 1 && !this.#isInTurn) this.#planWaiting();
  }

  #inTurn(act: () => void): void {
    this.#isInTurn = true;
    try {
      act();
    } finally {
      this.#isInTurn = false;
    }
    this.#afterTurn();
  }

  #planWaiting(): void {
    if (this.clock.isStopped) return;
    const { time } = this.#world;
    time.at(this.#freeAtMs, () => {
      // Another one has begun a turn meanwhile, which plans anew when it is over.
      if (time.nowMs < this.#freeAtMs) return;
      const act = this.clock.isStopped ? undefined : this.#waiting.shift();
      if (act !== undefined && !this.isOver) this.#inTurn(act);
    });
  }

  #lookAtDeadline(): void {
    if (this.isOver || this.stepped.hasWork) return;
    if (this.stepped.deadline() <= Math.floor(this.clock.now())) this.missedDeadlines++;
  }

  #afterTurn(): void {
    if (this.#waiting.length > 0) this.#planWaiting();
    this.#planWake();
  }

  /** Works, as much as a turn may, and does what the replica wants. */
  #turn(): void {
    const { slicesPerTurn, sliceMs = 0, pauseMs } = this.#options;
    const most = slicesPerTurn?.() ?? SLICES_MAX;
    this.#doEffects();
    if (this.stepped.hasWork) this.workTurns++;
    let done = 0;
    while (done < most && !this.isOver && this.stepped.hasWork) {
      this.stepped.work(1);
      done++;
      this.#doEffects();
    }
    this.slices += done;
    this.#freeAtMs = this.#world.time.nowMs + done * sliceMs;
    if (this.isOver || !this.stepped.hasWork) return;
    this.cutTurns++;
    this.#freeAtMs += pauseMs?.() ?? 0;
    this.#waiting.push(() => this.#turn());
  }

  #doEffects(): void {
    for (let effect = this.stepped.poll(); effect !== undefined; effect = this.stepped.poll()) {
      if (effect.type === "send") {
        const { frame, to } = effect;
        this.frames++;
        this.bytes += frame.length;
        if (this.#isConnected) this.#world.network.carry(this, frame, to);
        this.stepped.step({ type: "sent", bytes: frame.length, isTaken: this.#isConnected });
      } else if (effect.type === "report") this.troubles.push(effect.sentence);
      else if (effect.type === "left") this.crash();
    }
  }

  // ── The timer ────────────────────────────────────────────────────────────────────────────────

  #planWake(): void {
    if (this.isOver || this.clock.isStopped) return;
    const { time } = this.#world;
    const atMs = this.stepped.deadline();
    if (atMs >= this.#wakesAtMs) return;
    this.#timer?.cancel();
    this.#wakesAtMs = atMs;
    const waitMs = Math.max(TIMER_MS_LEAST, Math.ceil(this.clock.trueTimeOf(atMs) - time.nowMs));
    const plannedMs = time.nowMs + waitMs;
    this.#timer = time.at(plannedMs, () => {
      this.#wakesAtMs = Number.POSITIVE_INFINITY;
      this.#soon(() => {
        this.stepped.step({ type: "tick", lateMs: time.nowMs - plannedMs });
        this.#turn();
        this.#lookAtDeadline();
      });
    });
  }
}
