/**
 * A random history of a simulated fleet, from one seed: everything that can go wrong while its
 * replicas count. What must hold meanwhile and in the end is looked at by checks.
 */

import { createLimiter, type Decision, type Limiter } from "@tidegate/core";
import { SimulatedFleet } from "../simulated-fleet.ts";
import type { SimulatedProcess } from "../simulated-process.ts";
import { type Action, ActionSource, type Deed, KEYS } from "./action.ts";
import { drawFaults, type Faults, LATE_MS_MAX, latencyOf, type Scenario } from "./scenario.ts";
import { LastingTruth, type Truth } from "./truth.ts";

/**
 * In which all have published what they counted to each other: some heartbeats, requests and
 * replies.
 */
const RECOVERY_MS = 4_000;
/**
 * The same if dead replicas' counts are requested from one replica after the other, a clock must be
 * measured again, or replies did not come and are requested ever more rarely.
 */
const LONG_RECOVERY_MS = 30_000;
/** For how long after its last frame a replica may just have nothing to publish. */
const UNKNOWN_MS = 1_500;
/** In which a replica must have noticed that it receives as many others as before. */
const NOTICED_MS = 10_000;
/** How many events happen between two looks while time passes. */
const EVENTS_A_LOOK = 8;
const SLICES_A_CUT_TURN = 3;
const ALL_SLICES = 1_000_000;

/** A process of a history. */
export interface Member {
  /** The number of the action that added it. */
  readonly number: number;
  readonly process: SimulatedProcess;
  limiter: Limiter;
  /** Whether its limiter is closed, and counts alone. */
  isClosed: boolean;
  /** Whether it is about to leave. */
  isLeaving: boolean;
}

interface Hit {
  readonly member: Member;
  readonly key: string;
  readonly decision: Decision;
  readonly cost: number;
}

/** What a history did, for the sums of a run. */
export interface Tally {
  /** Events that happened, and slices of work. */
  steps: number;
  /** Turns in which there was work, and those that ended before it was done. */
  workTurns: number;
  cutTurns: number;
  /** How often a transport was looked at, and was busy. */
  transports: number;
  busy: number;
}

export interface HistoryOptions {
  readonly seed: number;
  readonly scenario: Scenario;
  /** Those of the seed when absent. */
  readonly faults?: Faults | undefined;
  /** What happens; drawn from the seed when absent. */
  readonly actions?: readonly Action[] | undefined;
}

export class History {
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly fleet: SimulatedFleet;
  readonly truth: Truth;
  /** The processes that run. */
  members: Member[] = [];
  /** What has happened. */
  readonly actions: Action[] = [];
  /** Called while time passes, and after each action. */
  look: () => void = () => {};
  readonly #given: readonly Action[] | undefined;
  readonly #source: ActionSource;
  readonly #replacements: ActionSource;
  readonly #cuts: () => number;
  readonly #ended: SimulatedProcess[] = [];
  #hits = new Map<number, Hit>();
  #number = 0;
  /**
   * The most replicas that ran at the same time, with those whose end the others could not know
   * yet.
   */
  #most = 0;
  #endedAtMs: number[] = [];
  #transports = 0;
  #busy = 0;

  constructor({ seed, scenario, faults, actions }: HistoryOptions) {
    this.scenario = scenario;
    this.fleet = new SimulatedFleet(seed);
    const { streams, network, time } = this.fleet;
    this.faults = faults ?? drawFaults(scenario, streams("faults"));
    const { loss, duplicate } = this.faults;
    network.change({ loss, duplicate, lateMs: LATE_MS_MAX, latency: latencyOf(this.faults) });
    const { truth = (now) => new LastingTruth(now) } = scenario;
    this.truth = truth(() => time.nowMs);
    this.#cuts = streams("slices");
    const random = streams("actions");
    const isHeld = scenario.releases === true;
    this.#source = new ActionSource(this.faults, isHeld, random);
    this.#replacements = new ActionSource(this.faults, isHeld, streams("replacements"));
    this.#given = actions;
    if (actions !== undefined) return;
    for (let left = 2 + Math.floor(random() * 4); left > 0; left--) this.#do(this.#source.add());
  }

  get keys(): readonly string[] {
    return KEYS;
  }

  get nowMs(): number {
    return this.fleet.time.nowMs;
  }

  /** Goes through all actions. */
  run(): void {
    if (this.#given !== undefined) {
      for (const action of this.#given) this.#perform(action);
      return;
    }
    for (let left = this.scenario.actions; left > 0; left--) {
      const { members } = this;
      const staying = members.filter(({ isLeaving }) => !isLeaving);
      const running = staying.filter(({ process }) => !process.clock.isStopped);
      if (running.length === 0) this.#do({ type: "resume", by: staying[0]!.number });
      else
        this.#do(
          this.#source.next({
            running: running.map(({ number }) => number),
            suspended: staying
              .filter((member) => !running.includes(member))
              .map(({ number }) => number),
            hits: Array.from(this.#hits.keys()),
          }),
        );
    }
  }

  /** Lets time pass, and looks at what happens. */
  pass(ms: number): void {
    const { time } = this.fleet;
    const endMs = time.nowMs + ms;
    for (let events = 1; time.next(endMs); events++) {
      if (events % EVENTS_A_LOOK === 0) this.look();
    }
    time.pass(endMs - time.nowMs);
    this.#forgetEnded();
  }

  /** Heals everything, and waits until all replicas must have received all. */
  recover(): void {
    const { crashes, leaves, clockMs, busy, disconnects, sliceMs, pauseMs } = this.faults;
    this.#heal();
    const isLong = crashes || leaves || disconnects || clockMs + busy + sliceMs + pauseMs > 0;
    this.pass(isLong ? LONG_RECOVERY_MS : RECOVERY_MS);
  }

  /**
   * Heals the network and starts replacements, until as many replicas run as ever did; they have to
   * notice.
   */
  replace(): void {
    this.#heal();
    for (let missing = this.#most - this.members.length; missing > 0; missing--) {
      this.#do(this.#replacements.add());
    }
    this.pass(NOTICED_MS);
  }

  /** Hits that count for a key, as a process sees it. */
  view({ limiter }: Member, key: string): number {
    return limiter.inspect(key).results[0]!.used;
  }

  /** The processes whose machine runs, with a limiter that is replicated. */
  replicated(): Member[] {
    return this.members.filter(
      ({ process, isClosed }) => !isClosed && !process.isOver && !process.clock.isStopped,
    );
  }

  tally(): Tally {
    const processes = [...this.#ended, ...this.members.map(({ process }) => process)];
    const sum = (name: "slices" | "workTurns" | "cutTurns"): number =>
      processes.reduce((total, process) => total + process[name], 0);
    return {
      steps: this.fleet.time.steps + sum("slices"),
      workTurns: sum("workTurns"),
      cutTurns: sum("cutTurns"),
      transports: this.#transports,
      busy: this.#busy,
    };
  }

  /** Ends all faults: no replica has any reason to suspect another. */
  #heal(): void {
    this.fleet.network.heal();
    this.fleet.network.change({});
    for (const { process } of this.members) {
      if (process.clock.isStopped) process.resume();
      process.setBusy(false);
      process.setConnected(true);
    }
  }

  #do(deed: Deed): void {
    this.#perform({ number: this.#number++, deed });
  }

  #perform(action: Action): void {
    this.actions.push(action);
    this.#number = Math.max(this.#number, action.number + 1);
    this.#act(action);
    this.#transports += this.members.length;
    for (const { process } of this.members) if (process.isBusy) this.#busy++;
    this.look();
  }

  #act({ number, deed }: Action): void {
    if (deed.type === "add") this.#add(number, deed.clock);
    else if (deed.type === "pass") this.pass(deed.ms);
    else if (deed.type === "heal") this.fleet.network.heal();
    else if (deed.type === "cut") this.#cut(deed.from, deed.to);
    else if ("hit" in deed) this.#giveBack(deed.type, deed.hit);
    else {
      const member = this.members.find((other) => other.number === deed.by);
      if (member !== undefined) this.#actAt(member, number, deed);
    }
    this.#forgetEnded();
  }

  #actAt(member: Member, number: number, deed: Deed): void {
    const { process } = member;
    if (deed.type === "hit") this.#hit(member, number, deed.key, deed.cost);
    else if (deed.type === "reset") this.#reset(member, deed.key);
    else if (deed.type === "remake") this.#remake(member, deed.ms);
    else if (deed.type === "crash") this.#crash(member);
    else if (deed.type === "leave") this.#leave(member);
    else if (deed.type === "suspend") process.suspend();
    else if (deed.type === "resume" && process.clock.isStopped) process.resume();
    else if (deed.type === "busy") process.setBusy(deed.is);
    else if (deed.type === "connected") process.setConnected(deed.is);
    else if (deed.type === "jump") process.skipClock(deed.ms);
    else if (deed.type === "set wall") process.clock.setWall(deed.ms);
  }

  #hit(member: Member, number: number, key: string, cost: number): void {
    member.process.run(() => {
      const decision = member.limiter.check(key, cost);
      if (!decision.allowed || member.isClosed) return;
      this.#hits.set(number, { member, key, decision, cost });
      this.truth.count(member, key, cost);
    });
  }

  #giveBack(type: "refund" | "release", number: number): void {
    const hit = this.#hits.get(number);
    if (hit === undefined) return;
    this.#hits.delete(number);
    const { member, key, cost, decision } = hit;
    member.process.run(() => {
      if (member.isClosed) return;
      const { limiter } = member;
      if (type === "release") {
        limiter.release(key, cost);
        this.truth.giveBack(member, key, cost);
        return;
      }
      const before = limiter.status().ignoredRefunds;
      limiter.refund(key, cost, decision);
      const ignored = limiter.status().ignoredRefunds - before;
      this.truth.giveBack(member, key, cost - ignored);
    });
  }

  #reset(member: Member, key: string): void {
    member.process.run(() => {
      member.limiter.reset(key);
      this.truth.reset(key);
    });
  }

  /** Its counts go on counting, and its permits are held no more. */
  #remake(member: Member, ms: number): void {
    const { process } = member;
    process.run(() => {
      if (this.scenario.releases === true) {
        for (const [number, hit] of this.#hits) {
          if (hit.member !== member) continue;
          this.truth.giveBack(member, hit.key, hit.cost);
          this.#hits.delete(number);
        }
      }
      member.isClosed = true;
      member.limiter.close();
    });
    this.pass(ms);
    process.run(() => {
      member.limiter = this.#limiter(process);
      member.isClosed = false;
    });
  }

  #crash(member: Member): void {
    if (this.#isLast(member)) return;
    this.fleet.crash(member.process);
  }

  #leave(member: Member): void {
    if (this.#isLast(member)) return;
    member.isLeaving = true;
    member.process.leave();
  }

  /** Whether it is the only one that stays. */
  #isLast(member: Member): boolean {
    return !this.members.some((other) => other !== member && !other.isLeaving);
  }

  #cut(from: number, to: number): void {
    const [one, other] = [from, to].map((number) =>
      this.members.find((member) => member.number === number),
    );
    if (one === undefined || other === undefined) return;
    this.fleet.network.cut(one.process, other.process);
  }

  #add(number: number, clock: { readonly aheadMs?: number; readonly drift?: number }): void {
    const { cutTurns, pauseMs, sliceMs, maxPayload } = this.faults;
    const cuts = this.#cuts;
    const process = this.fleet.add({
      ...{ clock, sliceMs, onCold: "open" },
      slicesPerTurn: () =>
        cuts() < cutTurns ? Math.floor(cuts() * SLICES_A_CUT_TURN) : ALL_SLICES,
      pauseMs: () => cuts() * pauseMs,
      ...(maxPayload !== undefined && { maxPayload }),
    });
    const limiter = this.#limiter(process);
    this.members.push({ number, process, limiter, isClosed: false, isLeaving: false });
    process.open();
    const now = this.nowMs;
    this.#endedAtMs = this.#endedAtMs.filter((atMs) => now - atMs < UNKNOWN_MS);
    this.#most = Math.max(this.#most, this.members.length + this.#endedAtMs.length);
  }

  /** Those that have crashed, or have left by now. */
  #forgetEnded(): void {
    for (const member of this.members.filter(({ process }) => process.isOver)) {
      this.truth.crash(member);
      this.#ended.push(member.process);
      this.#endedAtMs.push(this.nowMs);
      this.members = this.members.filter((other) => other !== member);
    }
  }

  #limiter({ cluster }: SimulatedProcess): Limiter {
    const { policies } = this.scenario;
    const { maxKeys } = this.faults;
    return createLimiter({
      ...{ name: "api", policies, cluster, onPartition: "open" },
      ...(maxKeys !== undefined && { maxKeys }),
    });
  }
}
