/**
 * A random history of a simulated fleet, from one seed: everything that can go wrong while its
 * replicas count, and what must hold all the time and in the end.
 */

import type { Decision } from "../../../src/base/decision.ts";
import type { Policy } from "../../../src/policies/policy.ts";
import { LastingTruth, type Truth } from "./history-truth.ts";
import { randomFrom, SimulatedFleet, type SimulatedReplica } from "./simulated-fleet.ts";
import type { SimulatedTime } from "./simulated-time.ts";

export interface HistoryOptions {
  readonly policies: readonly Policy[];
  /** What is true, from what happens and what time it is. */
  readonly truth?: (now: () => number) => Truth;
  readonly steps: number;
  /** Whether some replicas crash, and others join. */
  readonly crashes?: boolean;
  /** Whether some close their limiter now and then, and create it again. */
  readonly remakes?: boolean;
  readonly resets?: boolean;
  readonly refunds?: boolean;
  /** Whether all frames arrive, in time or late. */
  readonly lossless?: boolean;
  /** Whether permits are held and released, rather than hits counted. */
  readonly releases?: boolean;
  /** So few that keys are evicted. */
  readonly maxKeys?: number;
  /**
   * How wrong clocks are at most. Those that are wrong also gain or lose, and stand still now and
   * then.
   */
  readonly clockMs?: number;
  /** Whether every replica must report at every step how old its knowledge of the others is. */
  readonly saysLag?: boolean;
}

const KEYS = ["ada", "bob", "cleo", "dan", "eve"];
const REPLICAS_MAX = 8;
/**
 * In which all have published what they counted to each other: some heartbeats, requests and
 * replies.
 */
const RECOVERY_MS = 4_000;
/**
 * The same if dead replicas' counts are requested from one replica after the other, a clock must be
 * measured again, or replies of a busy transport did not come and are requested ever more rarely.
 */
const LONG_RECOVERY_MS = 30_000;
/** For how long after its last frame a replica may just have nothing to publish. */
const UNKNOWN_MS = 1_500;
/** In which a replica must have noticed that it receives as many others as before. */
const NOTICED_MS = 10_000;
/**
 * The most of the turns that are slow, and of the steps in which a transport comes to be busy or
 * free.
 */
const SLOW_MAX = 0.3;
const BUSY_MAX = 0.1;
/** What a clock that is wrong gains or loses in a millisecond at most: ten times what is usual. */
const DRIFT_MAX = 0.001;
/** The network's longest delay; frames take up to half as long again. */
export const DELAY_MS_MAX = 60;

interface Hit {
  readonly replica: SimulatedReplica;
  readonly key: string;
  readonly decision: Decision;
  readonly cost: number;
}

export class History {
  readonly fleet: SimulatedFleet;
  readonly truth: Truth;
  readonly #options: HistoryOptions;
  readonly #random: () => number;
  readonly #busy: number;
  #hits: Hit[] = [];
  /**
   * The most replicas that ran at the same time, with those whose end the others could not know
   * yet.
   */
  #most = 0;
  #crashedAtMs: number[] = [];

  constructor(seed: number, options: HistoryOptions, time: SimulatedTime) {
    const { truth = (now) => new LastingTruth(now) } = options;
    this.truth = truth(() => time.nowMs);
    this.#options = options;
    this.#random = randomFrom(seed);
    this.fleet = new SimulatedFleet({
      policies: options.policies,
      seed,
      loss: options.lossless === true ? this.#random() * 0 : this.#random() / 2,
      duplicate: this.#random() * 0.35,
      delayMs: this.#below(DELAY_MS_MAX),
      pass: (ms) => time.advance(ms),
      ...(options.maxKeys !== undefined && { maxKeys: options.maxKeys }),
    });
    // A source of their own: how many turns there are depends on what replicas do in them.
    const turns = randomFrom(~seed);
    const slow = turns() < 0.5 ? 0 : turns() * SLOW_MAX;
    time.isNextSlow = () => turns() < slow;
    // A busy transport is like a partition to policies that fold what is old.
    const isOften = this.#random() < 0.5 && options.lossless !== true;
    this.#busy = isOften ? this.#random() * BUSY_MAX : 0;
    const replicas = 2 + this.#below(4);
    for (let index = 0; index < replicas; index++) this.#add();
  }

  /** Goes through all steps; `look` is called after each. */
  run(look: () => void): void {
    for (let step = 0; step < this.#options.steps; step++) {
      this.#step();
      look();
    }
  }

  /** Heals everything, and waits until all replicas must have received all. */
  recover(): void {
    const { crashes, clockMs } = this.#options;
    this.#heal();
    const isLong = crashes === true || clockMs !== undefined || this.#busy > 0;
    this.fleet.pass(isLong ? LONG_RECOVERY_MS : RECOVERY_MS);
  }

  /**
   * Heals the network and starts replacements, until as many replicas run as ever did; they have to
   * notice.
   */
  replace(): void {
    const { fleet } = this;
    this.#heal();
    for (let missing = this.#most - fleet.replicas.length; missing > 0; missing--) this.#add();
    fleet.pass(NOTICED_MS);
  }

  /** Whether no replica has any reason to suspect another. */
  #heal(): void {
    this.fleet.network.heal();
    this.fleet.network.change({});
    for (const replica of this.fleet.replicas) replica.setBusy(false);
  }

  get isFaultless(): boolean {
    const { lossless, crashes, clockMs } = this.#options;
    return lossless === true && crashes !== true && clockMs === undefined;
  }

  /** Whether a replica may take one that crashed for one that ran beside its replacement. */
  get areLivesUnsure(): boolean {
    const { crashes, clockMs } = this.#options;
    return crashes === true && clockMs !== undefined;
  }

  get keys(): readonly string[] {
    return KEYS;
  }

  #step(): void {
    const { fleet } = this;
    if (this.#random() < this.#busy) this.#any().setBusy(this.#random() < 0.5);
    const { crashes, remakes, resets, refunds, releases, lossless, clockMs } = this.#options;
    const dice = this.#below(100);
    if (dice < 25 && releases === true) this.#release();
    else if (dice < 55) this.#hit();
    else if (dice < 80) fleet.pass(this.#below(120));
    else if (dice < 84 && lossless !== true)
      fleet.network.cut(this.#any().transport, this.#any().transport);
    else if (dice < 87) fleet.network.heal();
    else if (dice < 90) fleet.pass(this.#below(3_000));
    else if (dice < 93 && refunds === true) this.#refund();
    else if (dice < 95 && resets === true) this.#reset();
    else if (dice < 97 && crashes === true) this.#crash();
    else if (dice < 97 && remakes === true) this.#remake();
    else if (dice < 99 && fleet.replicas.length < REPLICAS_MAX) this.#add();
    else if (dice === 99 && clockMs !== undefined) fleet.suspend([this.#any()], this.#below(3_000));
  }

  #hit(): void {
    const replica = this.#any();
    const key = this.#key();
    const cost = 1 + this.#below(3);
    const decision = replica.limiter.check(key, cost);
    if (!decision.allowed) return;
    this.#hits.push({ replica, key, decision, cost });
    this.truth.count(replica, key, cost);
  }

  #refund(): void {
    const hit = this.#hits.splice(this.#below(this.#hits.length), 1)[0];
    if (hit === undefined || !this.fleet.replicas.includes(hit.replica)) return;
    const before = hit.replica.limiter.status().ignoredRefunds;
    hit.replica.limiter.refund(hit.key, hit.cost, hit.decision);
    const ignored = hit.replica.limiter.status().ignoredRefunds - before;
    this.truth.giveBack(hit.replica, hit.key, hit.cost - ignored);
  }

  #release(): void {
    const hit = this.#hits.splice(this.#below(this.#hits.length), 1)[0];
    if (hit === undefined || !this.fleet.replicas.includes(hit.replica)) return;
    hit.replica.limiter.release(hit.key, hit.cost);
    this.truth.giveBack(hit.replica, hit.key, hit.cost);
  }

  #reset(): void {
    const key = this.#key();
    this.#any().limiter.reset(key);
    this.truth.reset(key);
  }

  #crash(): void {
    if (this.fleet.replicas.length < 2) return;
    const replica = this.#any();
    replica.crash();
    this.truth.crash(replica);
    this.#crashedAtMs.push(performance.now());
    this.fleet.replicas = this.fleet.replicas.filter((other) => other !== replica);
  }

  /** Its counts go on counting, and its permits are held no more. */
  #remake(): void {
    const replica = this.#any();
    if (this.#options.releases === true) {
      for (const hit of this.#hits) {
        if (hit.replica === replica) this.truth.giveBack(replica, hit.key, hit.cost);
      }
      this.#hits = this.#hits.filter((hit) => hit.replica !== replica);
    }
    replica.remake(() => this.fleet.pass(this.#below(2) * this.#below(500)));
  }

  #add(): void {
    const { clockMs } = this.#options;
    const upTo = (most: number): number => (this.#random() * 2 - 1) * most;
    const aheadMs = Math.floor(upTo(clockMs ?? 0));
    this.fleet.add(aheadMs, undefined, clockMs === undefined ? 0 : upTo(DRIFT_MAX));
    const now = performance.now();
    this.#crashedAtMs = this.#crashedAtMs.filter((atMs) => now - atMs < UNKNOWN_MS);
    this.#most = Math.max(this.#most, this.fleet.replicas.length + this.#crashedAtMs.length);
  }

  #any(): SimulatedReplica {
    return this.fleet.replicas[this.#below(this.fleet.replicas.length)]!;
  }

  #key(): string {
    return KEYS[this.#below(KEYS.length)]!;
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }
}
