/**
 * A limiter on its store, replicated or not: its clock, and the public calls.
 *
 * Every call reads the clock once and looks up its key once, or twice when the key is new. The
 * decider and the store do the rest. The limiter uses the process's timer only while there is
 * something to sweep.
 */

import type { Decision } from "../base/decision.ts";
import { TidegateError } from "../base/errors.ts";
import { invalidOption, shown } from "../base/options.ts";
import { MARK_MS_MAX } from "../crdt/mark.ts";
import { longestLifeMs } from "../policies/bounds.ts";
import { hasPenalties } from "../policies/fixed-window.ts";
import type { Policy } from "../policies/policy.ts";
import type { ReplicatedLimiter, Tally } from "../replication/limiters/replicated-limiter.ts";
import type { Replicator } from "../replication/replicator.ts";
import { decisions } from "../runtime/diagnostics.ts";
import type { FastReplicatedCheck } from "../store/fast-path/fast-replicated-check.ts";
import { type FastWindowCheck, fastCheck } from "../store/fast-path/fast-window-check.ts";
import type { Store } from "../store/store.ts";
import { Fingerprinter } from "../store/table/fingerprint.ts";
import { NO_RECORD, type RecordId } from "../store/table/record-id.ts";
import { SteadyTime } from "../time/clock.ts";
import { type CallOptions, checkCost, checkKey, type ReleaseOptions } from "./call.ts";
import type { Decider, Mode } from "./decider.ts";
import { Engine, random32, sectionsOf, storeAlone } from "./engine.ts";
import { HotClient, HotClients } from "./hot-clients.ts";
import type { Housekeeping } from "./housekeeping.ts";
import { marksOf, resultOf } from "./inspection.ts";
import type { Inspection, Limiter, LimiterStatus } from "./limiter.ts";
import type { ResolvedLimiterOptions } from "./limiter-options.ts";
import { block } from "./penalties.ts";
import type { Permits } from "./permits.ts";
import { type Refunds, ticketsOf } from "./refunds.ts";
import { replicatedLimiterOf } from "./replicate.ts";

export class StoreLimiter implements Limiter {
  readonly name: string;
  readonly policies: readonly Policy[];
  readonly hotClients: HotClients;
  readonly #options: ResolvedLimiterOptions;
  readonly #time: SteadyTime;
  readonly #readsWall: boolean;
  readonly #replicator: Replicator | null;
  readonly #fingerprinter: Fingerprinter;
  readonly #markLimit: number;
  readonly #tally: Tally = { allowed: 0, refused: 0 };
  #store: Store;
  #decider: Decider;
  #usual: FastWindowCheck | FastReplicatedCheck | null;
  #permits: Permits;
  #refunds: Refunds;
  #housekeeping: Housekeeping;
  /** The connection to the cluster, until this is closed. */
  #replicated: ReplicatedLimiter | undefined;
  readonly #advanceStore = (store: Store): void => this.#advanceTo(this.#time.read(), store);

  constructor(options: ResolvedLimiterOptions) {
    const { name, policies, maxKeys, clock, replicator } = options;
    replicator?.replicatedLimiters.admit(name);
    this.name = name;
    this.policies = policies;
    this.hotClients = new HotClients(maxKeys);
    this.#options = options;
    this.#replicator = replicator;
    this.#time = replicator?.clock.time ?? new SteadyTime(clock);
    this.#readsWall =
      replicator === null &&
      policies.some((policy) => policy.kind === "fixedWindow" && policy.calendar !== null);
    const strict = policies.find((policy) => policy.kind === "fixedWindow" && hasPenalties(policy));
    this.#markLimit = (strict ?? policies[0]!).limit;
    const sections = sectionsOf(policies, replicator !== null);
    const replicated =
      replicator === null ? undefined : replicatedLimiterOf(replicator, options, sections);
    const identity = replicated?.identity ?? { low: random32(), high: random32() };
    this.#fingerprinter = new Fingerprinter(replicator?.seal.keySeed(identity) ?? identity);
    const store = replicated?.store ?? storeAlone(options, sections);
    const workings = new Engine(store, sections, options, this.#advanceStore);
    this.#store = store;
    this.#decider = workings.decider;
    this.#permits = workings.permits;
    this.#refunds = workings.refunds;
    this.#housekeeping = workings.housekeeping;
    this.#usual = fastCheck(store, policies, replicator);
    this.#replicated = replicated;
    if (replicated !== undefined) this.#join(replicated);
  }

  check(key: string | Uint8Array, cost = 1, options?: CallOptions): Decision {
    if (typeof key !== "string") checkKey(key);
    if (cost !== 1) checkCost(cost);
    this.#advance();
    this.#fingerprinter.take(key);
    const { low, high } = this.#fingerprinter;
    const usual = cost !== 0 && options === undefined ? this.#usual : null;
    return usual !== null && this.#store.take(low, high)
      ? this.#checkInHand(usual, key, low, cost)
      : this.#decideTaken("check", key, cost, options);
  }

  /** The cached key of a frequent client, for `checkKnown`. */
  know(key: string): HotClient {
    this.#fingerprinter.take(key);
    return new HotClient(key, this.#fingerprinter.low, this.#fingerprinter.high);
  }

  /** The same as `check`, for a cached key. */
  checkKnown(known: HotClient, cost: number): Decision {
    if (cost !== 1) checkCost(cost);
    this.#advance();
    this.#fingerprinter.retake(known);
    const usual = cost !== 0 ? this.#usual : null;
    return usual !== null && this.#store.takeCached(known)
      ? this.#checkInHand(usual, known.key, known.low, cost)
      : this.#decideTaken("check", known.key, cost, undefined);
  }

  peek(key: string | Uint8Array, cost = 1, options?: CallOptions): Decision {
    return this.#decide("peek", key, cost, options);
  }

  charge(key: string | Uint8Array, cost = 1, options?: CallOptions): Decision {
    return this.#decide("charge", key, cost, options);
  }

  refund(key: string | Uint8Array, cost: number, decision: Decision): void {
    checkCost(cost);
    const tickets = ticketsOf(decision);
    if (this.#permits.areAll) {
      throw new TidegateError(
        "TIDEGATE_POLICY_UNSUITABLE",
        `limiter ${shown(this.name)} has only concurrency policies, whose permits are not refunded: use 'release'`,
      );
    }
    const id = this.#locate(key);
    this.#refunds.give(id, this.#fingerprinter.low, cost, decision, tickets);
  }

  release(key: string | Uint8Array, cost = 1, options?: ReleaseOptions): void {
    checkCost(cost);
    if (!this.#permits.exist) {
      throw new TidegateError(
        "TIDEGATE_POLICY_UNSUITABLE",
        `limiter ${shown(this.name)} has no concurrency policy to release from: use 'refund'`,
      );
    }
    this.#permits.read(cost, options);
    const id = this.#locate(key);
    if (id !== NO_RECORD && this.#permits.release(id)) this.#store.changed(id);
  }

  reset(key: string | Uint8Array): void {
    this.#locate(key);
    this.#store.reset(this.#fingerprinter.low, this.#fingerprinter.high);
    this.#housekeeping.begin();
  }

  resetAll(): void {
    this.#advance();
    this.#store.resetAll();
  }

  block(key: string | Uint8Array, forMs: number): void {
    if (!Number.isSafeInteger(forMs) || forMs < 1 || forMs > MARK_MS_MAX) {
      throw invalidOption("forMs", "whole milliseconds from 1 to ten years", forMs);
    }
    this.#locate(key);
    block(this.#store, this.#fingerprinter.low, this.#fingerprinter.high, forMs);
    this.#housekeeping.begin();
  }

  unblock(key: string | Uint8Array): void {
    this.#locate(key);
    this.#store.unmark(this.#fingerprinter.low, this.#fingerprinter.high);
    this.#housekeeping.begin();
  }

  inspect(key: string | Uint8Array): Inspection {
    const decision = this.#decide("peek", key, 0, undefined);
    const { low, high } = this.#fingerprinter;
    const marks = marksOf(this.#store, low, high, this.#markLimit);
    const results = decision.results ?? [resultOf(decision)];
    return { known: this.#store.find(low, high) !== NO_RECORD || marks.length > 0, results, marks };
  }

  status(): LimiterStatus {
    const { expired, foreign, live, refused, turnedAway } = this.#store.evictions;
    return {
      name: this.name,
      keys: this.#store.size,
      maxKeys: this.#store.keysMax,
      ...this.#tally,
      evicted: { expired, foreign, live, refused, notes: this.#store.notes.dropped },
      turnedAway,
      ignoredRefunds: this.#refunds.ignored,
    };
  }

  close(): void {
    this.#fingerprinter.forget();
    this.hotClients.close();
    const replicated = this.#replicated;
    if (replicated === undefined) {
      this.#housekeeping.end();
      this.#store.close();
      return;
    }
    // The replicated counts stay with the cluster, and this limiter continues with a store of its
    // own.
    const sections = sectionsOf(this.policies, false);
    const store = storeAlone(this.#options, sections);
    const alone = new Engine(store, sections, this.#options, this.#advanceStore);
    alone.housekeeping.end();
    this.#replicated = undefined;
    this.#store = store;
    this.#decider = alone.decider;
    this.#permits = alone.permits;
    this.#refunds = alone.refunds;
    this.#housekeeping = alone.housekeeping;
    this.#usual = null;
    this.#replicator?.part(replicated);
  }

  #decide(
    mode: Mode,
    key: string | Uint8Array,
    cost: number,
    options: CallOptions | undefined,
  ): Decision {
    if (typeof key !== "string") checkKey(key);
    if (cost !== 1) checkCost(cost);
    this.#advance();
    this.#fingerprinter.take(key);
    return this.#decideTaken(mode, key, cost, options);
  }

  #decideTaken(
    mode: Mode,
    key: string | Uint8Array,
    cost: number,
    options: CallOptions | undefined,
  ): Decision {
    const { low, high } = this.#fingerprinter;
    const separation =
      this.#replicator === null ? null : this.#replicator.partitionDetector.separation;
    const decision = this.#decider.decide(mode, low, high, cost, options, separation);
    this.#housekeeping.begin();
    if (mode === "peek") return decision;
    const { enforced } = this.#decider;
    this.#count(decision);
    if (decisions.hasSubscribers)
      decisions.publish({ limiter: this.name, key, cost, decision, enforced });
    return decision;
  }

  #checkInHand(
    usual: FastWindowCheck | FastReplicatedCheck,
    key: string | Uint8Array,
    low: number,
    cost: number,
  ): Decision {
    const decision = usual.check(low, cost);
    if (decision === null) return this.#decideTaken("check", key, cost, undefined);
    this.#count(decision);
    if (decisions.hasSubscribers) {
      decisions.publish({ limiter: this.name, key, cost, decision, enforced: true });
    }
    return decision;
  }

  #count({ allowed }: Decision): void {
    if (allowed) this.#tally.allowed++;
    else this.#tally.refused++;
  }

  /** Finds a key's record; its fingerprint stays in the fingerprinter. */
  #locate(key: unknown): RecordId {
    checkKey(key);
    this.#advance();
    this.#fingerprinter.take(key);
    return this.#store.find(this.#fingerprinter.low, this.#fingerprinter.high);
  }

  #join(replicated: ReplicatedLimiter): void {
    const housekeeping = this.#housekeeping;
    replicated.open({
      limits: this.policies.map(({ limit }) => limit),
      tally: this.#tally,
      lifeMs: longestLifeMs(this.policies),
      keepHouse: () => housekeeping.begin(),
      leaveHouse: () => housekeeping.end(),
      close: () => this.close(),
    });
    this.#advanceTo(this.#time.read());
    this.#replicator?.join(replicated);
  }

  #advance(): void {
    const now = this.#time.read();
    if (now !== this.#store.now || this.#readsWall) this.#advanceTo(now);
  }

  #advanceTo(now: number, store: Store = this.#store): void {
    const replicator = this.#replicator;
    if (replicator !== null) store.advance(now, replicator.clock.clusterNow(now));
    else store.advance(now, this.#readsWall ? this.#time.wall() : now);
  }
}
