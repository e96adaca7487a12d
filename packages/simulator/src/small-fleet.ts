/**
 * A few replicas and the frames between them, where the caller decides what happens next.
 *
 * There is no time but the one that ticks bring: a tick takes the time to the deadline of a replica.
 * So a frame that is delivered after it is late, and a replica that is not ticked is late too. Every
 * order of deliveries, ticks, losses and slices is a list of steps, and the list replays it.
 */

import type { Limiter } from "@tidegate/core";
import {
  type SteppedCluster,
  type SteppedClusterOptions,
  steppedCluster,
} from "@tidegate/core/simulation";
import { START_WALL_MS } from "./virtual-clock.ts";

/** A long turn ends after so many slices. */
const SLICES_MAX = 10_000;
/** Replicas are named by letters. */
const NAMES = "ABCDEFGH";
/** For how many ticks a frame is delayed. */
const DELAY_TICKS = 2;

/** What happens next. */
export type Step =
  /** The next operation of a replica's program. */
  | { readonly type: "operation"; readonly at: number; readonly isCut?: boolean }
  /** A replica's deadline comes. */
  | { readonly type: "tick"; readonly at: number; readonly isCut?: boolean }
  /** A replica does one slice of work. */
  | { readonly type: "slice"; readonly at: number }
  /** A frame on its way arrives; a repeated one will arrive again. */
  | { readonly type: "deliver" | "repeat"; readonly frame: number; readonly isCut?: boolean }
  /** A frame on its way is lost, or waits until some ticks have passed. */
  | { readonly type: "lose" | "delay"; readonly frame: number }
  /** All frames from one replica to another are lost, from now on and those on their way. */
  | { readonly type: "cut"; readonly at: number; readonly to: number }
  /** A replica ends without a word. */
  | { readonly type: "crash"; readonly at: number }
  /** A replica's transport makes frames wait, or not any more. */
  | { readonly type: "busy" | "free"; readonly at: number; readonly isCut?: never };

/** A frame on its way. */
export interface Travelling {
  readonly frame: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** For how many more ticks it is delayed. */
  delay: number;
}

export interface SmallMember {
  readonly stepped: SteppedCluster;
  limiter: Limiter;
  isOver: boolean;
  isBusy: boolean;
  /** How many operations of its program are done. */
  done: number;
}

export interface SmallFleetOptions {
  readonly replicas: number;
  readonly makeLimiter: (stepped: SteppedCluster) => Limiter;
  readonly step?: (options: SteppedClusterOptions) => SteppedCluster;
  readonly flushMs?: number;
  readonly maxPayload?: number;
  /** @default 0 */
  readonly startMs?: number;
}

export class SmallFleet {
  nowMs: number;
  readonly members: SmallMember[];
  travelling: Travelling[] = [];
  /** Directions in which frames are lost: from, and to. */
  readonly cuts: Set<string> = new Set();
  readonly #maxPayload: number;

  constructor(options: SmallFleetOptions) {
    const { replicas, makeLimiter, step = steppedCluster, flushMs = 50 } = options;
    this.nowMs = options.startMs ?? 0;
    this.#maxPayload = options.maxPayload ?? 65_535;
    const clock = { now: () => this.nowMs, wall: () => START_WALL_MS + this.nowMs };
    this.members = Array.from({ length: replicas }, (_, index) => {
      const id = idOf(index);
      const random = (): number => (index + 1) / (replicas + 1);
      const stepped = step({ id, clock, random, flushMs, onCold: "open" });
      const limiter = makeLimiter(stepped);
      return { stepped, limiter, isOver: false, isBusy: false, done: 0 };
    });
    for (const [index, member] of this.members.entries()) {
      this.#transport(member);
      this.#tick(member);
      this.#turn(index, false);
    }
  }

  /** Those that have not ended. */
  get alive(): number[] {
    return [...this.members.keys()].filter((at) => this.members[at]!.isOver === false);
  }

  /** Does a step; `operate` does the next operation of a replica. */
  take(step: Step, operate: (at: number) => void): void {
    if ("frame" in step) {
      const travelling = this.travelling[step.frame]!;
      if (step.type === "delay") travelling.delay = DELAY_TICKS;
      else if (step.type !== "repeat") this.travelling.splice(step.frame, 1);
      if (step.type === "deliver" || step.type === "repeat")
        this.#receive(travelling, step.isCut === true);
      return;
    }
    const member = this.members[step.at]!;
    if (step.type === "cut") this.#cut(step.at, step.to);
    else if (step.type === "crash") this.#crash(step.at);
    else if (step.type === "slice") {
      member.stepped.work(1);
      this.#doEffects(step.at);
    } else if (step.type === "busy" || step.type === "free") {
      member.isBusy = step.type === "busy";
      this.#transport(member);
      this.#turn(step.at, false);
    } else {
      if (step.type === "tick") this.#tick(member);
      else {
        member.done++;
        operate(step.at);
      }
      this.#turn(step.at, step.isCut === true);
    }
  }

  /** Ends all faults. */
  heal(): void {
    this.cuts.clear();
    for (const at of this.alive) {
      const member = this.members[at]!;
      member.isBusy = false;
      this.#transport(member);
      this.#turn(at, false);
    }
  }

  /**
   * Delivers everything in order and ticks in order of deadlines, for so long or until `isDone`
   * while no frame is on its way.
   */
  settle(ms: number, isDone: () => boolean = () => false): void {
    const endMs = this.nowMs + ms;
    for (;;) {
      for (let next = this.travelling.shift(); next !== undefined; next = this.travelling.shift()) {
        this.#receive(next, false);
      }
      if (isDone()) return;
      const [first] = this.alive
        .map((at) => ({ at, dueMs: this.members[at]!.stepped.deadline() }))
        .sort((left, right) => left.dueMs - right.dueMs);
      if (first === undefined || first.dueMs > endMs) return;
      this.#tick(this.members[first.at]!);
      this.#turn(first.at, false);
    }
  }

  #tick(member: SmallMember): void {
    for (const each of this.travelling) each.delay = Math.max(0, each.delay - 1);
    const dueMs = member.stepped.deadline();
    if (Number.isFinite(dueMs)) this.nowMs = Math.max(this.nowMs, Math.ceil(dueMs));
    member.stepped.step({ type: "tick" });
  }

  #receive({ frame, to }: Travelling, isCut: boolean): void {
    const member = this.members[to]!;
    if (member.isOver) return;
    member.stepped.step({ type: "frame", frame: frame.slice() });
    this.#turn(to, isCut);
  }

  #cut(from: number, to: number): void {
    this.cuts.add(`${from}>${to}`);
    this.travelling = this.travelling.filter((each) => each.from !== from || each.to !== to);
  }

  #crash(at: number): void {
    this.members[at]!.isOver = true;
    this.travelling = this.travelling.filter(({ to }) => to !== at);
  }

  #transport({ stepped, isBusy }: SmallMember): void {
    const state = { isConnected: true, isBusy, maxPayload: this.#maxPayload, trouble: undefined };
    stepped.step({ type: "transport", state });
  }

  /** Works until nothing is left, unless the turn is cut short. */
  #turn(at: number, isCut: boolean): void {
    const { stepped } = this.members[at]!;
    this.#doEffects(at);
    for (let left = isCut ? 0 : SLICES_MAX; left > 0 && stepped.hasWork; left--) {
      stepped.work(1);
      this.#doEffects(at);
    }
  }

  #doEffects(at: number): void {
    const member = this.members[at]!;
    const { stepped } = member;
    for (let effect = stepped.poll(); effect !== undefined; effect = stepped.poll()) {
      if (effect.type === "left") member.isOver = true;
      if (effect.type !== "send") continue;
      const { frame, to } = effect;
      for (const other of this.alive) {
        if (other === at || this.cuts.has(`${at}>${other}`)) continue;
        if (to !== undefined && this.members[other]!.stepped.address !== to) continue;
        this.travelling.push({ frame, from: at, to: other, delay: 0 });
      }
      stepped.step({ type: "sent", bytes: frame.length, isTaken: true });
    }
  }
}

/** The name of a replica in what people read. */
export function nameOf(at: number): string {
  return NAMES[at]!;
}

function idOf(index: number): string {
  return `${(index + 10).toString(16)}`.repeat(16);
}
