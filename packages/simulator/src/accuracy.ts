/**
 * How far a fleet goes over a limit, beside an exact limiter that sees the same hits at once.
 *
 * The exact limiter is one limiter without a cluster: property tests hold it to the references of
 * the policies. Windows in which it refuses nothing say nothing about over-admission, so means are
 * over the others. The start of a fleet and the first windows are left out.
 */

import { createLimiter, type Decision, type Limiter, type Policy } from "@tidegate/core";
import { type SteppedClusterOptions, steppedCluster } from "@tidegate/core/simulation";
import { Admissions } from "./admissions.ts";
import { type Arrivals, arrivalsOf } from "./load/arrivals.ts";
import { Balancer, type Balancing } from "./load/balancing.ts";
import { type KeyOptions, keysOf } from "./load/keys.ts";
import { type MeasuredWindow, WindowBook } from "./measured-windows.ts";
import { SimulatedFleet } from "./simulated-fleet.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

const WINDOWS = 20;
const WARM_UP_WINDOWS = 2;
const FLUSH_MS = 50;
/** What a fleet takes to become ready, at most. */
const READY_MS = 5_000;

export interface Latency {
  readonly ms: number;
  /** Up to so much longer, at random. @default 0 */
  readonly jitterMs?: number;
}

export interface AccuracyOptions {
  readonly seed: number;
  readonly replicas: number;
  readonly policy: Policy;
  /** How many hits the policy allows in a window, and how long that is. */
  readonly limit: number;
  readonly windowMs: number;
  /** The offered rate of all keys together: in limits per window, or in hits per second. */
  readonly load?: number | undefined;
  readonly ratePerSecond?: number | undefined;
  /** @default 50 */
  readonly flushMs?: number | undefined;
  /** @default 0 */
  readonly latency?: Latency | undefined;
  /** The part of frames that is lost, per receiver. @default 0 */
  readonly loss?: number | undefined;
  /** Each clock is wrong by up to that, either way. @default 0 */
  readonly clockErrorMs?: number | undefined;
  /** @default "even" */
  readonly balancing?: Balancing | undefined;
  /** @default "poisson" */
  readonly arrivals?: Arrivals | undefined;
  /** @default one key */
  readonly keys?: KeyOptions | undefined;
  /** The most keys in the memory of one replica. */
  readonly maxKeys?: number | undefined;
  /** Windows that are measured in each run. @default 20 */
  readonly windows?: number | undefined;
  /** Windows before, which are left out. @default 2 */
  readonly warmUpWindows?: number | undefined;
  /** Runs, each from a seed of its own. @default 1 */
  readonly runs?: number | undefined;
  /** More options of the replicas. */
  readonly replica?: Partial<Omit<SteppedClusterOptions, "id" | "clock" | "random">> | undefined;
  /** Called after each window, with the part of all that is done. */
  readonly onProgress?: ((part: number) => void) | undefined;
}

/** All parts are of the limit: 0.05 is 5 % of it. */
export interface AccuracyResult {
  readonly ratePerSecond: number;
  /** In all measured windows, and of them those in which an exact limiter refuses hits. */
  readonly windows: number;
  readonly limitedWindows: number;
  readonly offered: number;
  readonly admitted: number;
  /** What a fleet admits more than an exact limiter, in the windows in which that refuses hits. */
  readonly over: {
    readonly mean: number;
    readonly deviation: number;
    readonly least: number;
    readonly worst: number;
  };
  /** What the law says of `over.mean`: see `lawOf`. */
  readonly law: number;
  /** What was admitted in the long run, in parts of what an exact limiter admits. */
  readonly sustained: number;
  /** The most that was admitted in any span of a window's length; beside it the exact limiter's. */
  readonly worstSpan: number;
  readonly exactWorstSpan: number;
  /** Hits that were refused in windows in which an exact limiter refuses none, per offered hit. */
  readonly wronglyRefused: number;
  /** What each replica sends. */
  readonly framesPerSecond: number;
  readonly bytesPerSecond: number;
}

/**
 * The mean over-admission of windows that start empty, in parts of the limit: what the other
 * replicas are offered while a count is on its way.
 */
export function lawOf(options: {
  readonly replicas: number;
  /** Offered to one key, in limits per window. */
  readonly load: number;
  readonly windowMs: number;
  readonly flushMs: number;
  readonly latencyMs: number;
}): number {
  const { replicas, load, windowMs, flushMs, latencyMs } = options;
  const others = (replicas - 1) / replicas;
  const over = (others * load * (flushMs / 2 + latencyMs)) / windowMs;
  return Math.min(over, Math.max(0, load - 1));
}

/** Measures a fleet of the replicas that ship, in virtual time. */
export function measureAccuracy(options: AccuracyOptions): AccuracyResult {
  const { runs = 1, onProgress } = options;
  const done: AccuracyRun[] = [];
  for (let run = 0; run < runs; run++) {
    const progress = (part: number): void => onProgress?.((run + part) / runs);
    done.push(new AccuracyRun({ ...options, seed: options.seed + run }, progress));
  }
  return resultOf(options, done);
}

function rateOf({ load, ratePerSecond, limit, windowMs }: AccuracyOptions): number {
  if (ratePerSecond !== undefined) return ratePerSecond;
  if (load === undefined) throw new RangeError("give 'load' or 'ratePerSecond'");
  return (load * limit * 1_000) / windowMs;
}

/** What was admitted of one key: by the fleet, and by an exact limiter. */
interface Admitted {
  readonly fleet: Admissions;
  readonly exact: Admissions;
}

class AccuracyRun {
  readonly book: WindowBook;
  readonly admitted = new Map<string, Admitted>();
  frames = 0;
  bytes = 0;
  readonly #options: AccuracyOptions;
  readonly #fleet: SimulatedFleet;
  readonly #processes: readonly SimulatedProcess[];
  readonly #limiters: readonly Limiter[];
  readonly #exact: Limiter;
  readonly #startMs: number;
  #edgeMs = 0;
  #fresh = 0;

  constructor(options: AccuracyOptions, progress: (part: number) => void) {
    const { seed, loss = 0, latency = { ms: 0 }, windowMs, limit, policy } = options;
    const { warmUpWindows = WARM_UP_WINDOWS, windows = WINDOWS, maxKeys } = options;
    const { ms, jitterMs = 0 } = latency;
    this.#options = options;
    this.#fleet = new SimulatedFleet(seed, {
      loss,
      latency: (random) => ms + jitterMs * random(),
    });
    this.#processes = Array.from({ length: options.replicas }, () => this.#add());
    const bound = maxKeys === undefined ? {} : { maxKeys };
    this.#limiters = this.#processes.map(({ cluster }) =>
      createLimiter({ name: "measured", policy, cluster, ...bound }),
    );
    const { time } = this.#fleet;
    this.#exact = createLimiter({ name: "exact", policy, clock: { now: () => time.nowMs } });
    this.#open();
    const warmMs = time.nowMs;
    this.#startMs = warmMs + warmUpWindows * windowMs;
    this.book = new WindowBook({ policy, limit, windowMs, startMs: this.#startMs, windows });
    const sent = this.#sent();
    let measured = sent;
    this.#edgeMs = warmMs + windowMs;
    // One window more than is measured, so that none is cut.
    this.#offer(this.#startMs + (windows + 1) * windowMs, (atMs) => {
      if (atMs <= this.#startMs) measured = this.#sent();
      progress((atMs - warmMs) / ((warmUpWindows + windows + 1) * windowMs));
    });
    const seconds = ((windows + 1) * windowMs) / 1_000;
    const now = this.#sent();
    this.frames = (now.frames - measured.frames) / seconds / options.replicas;
    this.bytes = (now.bytes - measured.bytes) / seconds / options.replicas;
    for (const limiter of [...this.#limiters, this.#exact]) limiter.close();
  }

  get startMs(): number {
    return this.#startMs;
  }

  #add(): SimulatedProcess {
    const { flushMs = FLUSH_MS, clockErrorMs = 0, replica } = this.#options;
    const random = this.#fleet.streams("clocks");
    return this.#fleet.add({
      flushMs,
      clock: { aheadMs: (2 * random() - 1) * clockErrorMs },
      step: (given) => steppedCluster({ ...given, ...replica }),
    });
  }

  /** Processes start one after the other, as in a deployment, and are ready before hits come. */
  #open(): void {
    for (const process of this.#processes) {
      process.open();
      this.#fleet.pass(1);
    }
    this.#fleet.pass(READY_MS);
  }

  /** Offers hits until a time; `passed` is called at the end of each window. */
  #offer(untilMs: number, passed: (atMs: number) => void): void {
    const { windowMs, replicas, balancing = "even", arrivals = "poisson" } = this.#options;
    const { time, streams } = this.#fleet;
    const perMs = rateOf(this.#options) / 1_000;
    const next = arrivalsOf(arrivals, { perMs, windowMs, random: streams("arrivals") });
    const key = keysOf(this.#options.keys ?? {}, streams("keys"));
    const used = (replica: number, of: string): number => this.#limiters[replica]!.peek(of, 0).used;
    const balancer = new Balancer(balancing, { replicas, random: streams("balancing"), used });
    let passesMs = time.nowMs + windowMs;
    for (let atMs = time.nowMs; ; ) {
      atMs = next(atMs, this.#edgeMs);
      for (; passesMs <= Math.min(atMs, untilMs); passesMs += windowMs) {
        time.pass(passesMs - time.nowMs);
        passed(passesMs);
      }
      if (atMs >= untilMs) return;
      time.pass(atMs - time.nowMs);
      this.#hit(key(), balancer);
    }
  }

  #hit(key: string | undefined, balancer: Balancer): void {
    const of = key ?? `fresh ${this.#fresh++}`;
    const replica = balancer.choose(of);
    let decision: Decision | undefined;
    this.#processes[replica]!.run(() => {
      decision = this.#limiters[replica]!.check(of);
    });
    if (decision === undefined) throw new Error("a simulated process is busy without any work");
    balancer.decided(replica, decision.allowed);
    if (key !== undefined) this.#note(key, decision);
  }

  #note(key: string, decision: Decision): void {
    const { nowMs } = this.#fleet.time;
    const isDue = this.#exact.check(key).allowed;
    const endMs = nowMs + decision.resetMs;
    this.#edgeMs = endMs;
    if (nowMs < this.#startMs) return;
    this.book.add({ key, atMs: nowMs, endMs, isAllowed: decision.allowed, isDue });
    let admitted = this.admitted.get(key);
    if (admitted === undefined) {
      admitted = { fleet: new Admissions(), exact: new Admissions() };
      this.admitted.set(key, admitted);
    }
    // Limiters drop the fractions of times too.
    const atMs = Math.floor(nowMs);
    if (decision.allowed) admitted.fleet.add(atMs);
    if (isDue) admitted.exact.add(atMs);
  }

  #sent(): { frames: number; bytes: number } {
    const sum = { frames: 0, bytes: 0 };
    for (const { frames, bytes } of this.#processes) {
      sum.frames += frames;
      sum.bytes += bytes;
    }
    return sum;
  }
}

function resultOf(options: AccuracyOptions, runs: readonly AccuracyRun[]): AccuracyResult {
  const { limit, windowMs, windows: count = WINDOWS } = options;
  const windows = runs.flatMap(({ book }) => book.windows());
  const limited = windows.filter(({ due, offered }) => due < offered);
  const overs = limited.map(({ admitted, due }) => (admitted - due) / limit);
  const admitted = runs.flatMap((run) => Array.from(run.admitted.values(), (of) => ({ run, of })));
  const long = (name: keyof Admitted): number =>
    sumOf(admitted.map(({ run, of }) => of[name].meanWithin(run.startMs, count, windowMs)));
  const span = (name: keyof Admitted): number =>
    mostOf(admitted.map(({ of }) => of[name].mostWithin(windowMs))) / limit;
  const unlimited = windows.filter(({ due, offered }) => due === offered);
  const mean = meanOf(overs);
  return {
    ratePerSecond: rateOf(options),
    windows: windows.length,
    limitedWindows: limited.length,
    offered: sumOf(windows.map(({ offered }) => offered)),
    admitted: sumOf(windows.map((window) => window.admitted)),
    over: {
      mean,
      deviation: Math.sqrt(meanOf(overs.map((over) => (over - mean) ** 2))),
      least: overs.length === 0 ? 0 : -mostOf(overs.map((over) => -over)),
      worst: overs.length === 0 ? 0 : mostOf(overs),
    },
    law: meanOf(limited.map((window) => lawOfWindow(window, options))),
    sustained: ratio(long("fleet"), long("exact")),
    worstSpan: span("fleet"),
    exactWorstSpan: span("exact"),
    wronglyRefused: ratio(
      sumOf(unlimited.map((window) => Math.max(0, window.due - window.admitted))),
      sumOf(windows.map(({ offered }) => offered)),
    ),
    framesPerSecond: meanOf(runs.map(({ frames }) => frames)),
    bytesPerSecond: meanOf(runs.map(({ bytes }) => bytes)),
  };
}

function lawOfWindow({ offered }: MeasuredWindow, options: AccuracyOptions): number {
  const { replicas, limit, windowMs, flushMs = FLUSH_MS, latency = { ms: 0 } } = options;
  const latencyMs = latency.ms + (latency.jitterMs ?? 0) / 2;
  return lawOf({ replicas, load: offered / limit, windowMs, flushMs, latencyMs });
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : sumOf(values) / values.length;
}

function mostOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
