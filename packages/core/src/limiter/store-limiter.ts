/**
 * A limiter on its store, replicated or not: its clock, and the public calls.
 *
 * Every call reads the clock once and looks up its key once, or twice when the key is new. The
 * decider and the store do the rest. The limiter uses the process's timer only while there is
 * something to sweep.
 */

import type { Decision, PolicyResult } from "../base/decision.ts";
import { TidegateError } from "../base/errors.ts";
import { invalidOption, shown } from "../base/options.ts";
import { MARK_MS_MAX } from "../crdt/mark.ts";
import type { ReplicaHost } from "../driver/replica-host.ts";
import { longestLifeMs } from "../policies/bounds.ts";
import { hasPenalties } from "../policies/fixed-window.ts";
import type { Policy } from "../policies/policy.ts";
import type { ReplicatedLimiter, Tally } from "../protocol/limiters/replicated-limiter.ts";
import type { Replica } from "../protocol/replica.ts";
import { decisions } from "../runtime/diagnostics.ts";
import { FastWindowCheck } from "../store/fast-window-check.ts";
import type { Store } from "../store/store.ts";
import { Fingerprinter } from "../store/table/fingerprint.ts";
import { NO_RECORD, type RecordId } from "../store/table/record-id.ts";
import { SteadyTime } from "../time/clock.ts";
import { type CallOptions, checkCost, checkKey, type ReleaseOptions } from "./call.ts";
import type { Mode } from "./decider.ts";
import { Engine, random32, replicatedLimiterOf, sectionsOf, storeAlone } from "./engine.ts";
import type { Inspection, Limiter, LimiterStatus } from "./limiter.ts";
import type { ResolvedLimiterOptions } from "./limiter-options.ts";
import { block, marksOf } from "./penalties.ts";
import { ticketsOf } from "./refunds.ts";

export class StoreLimiter implements Limiter {
  readonly name: string;
  readonly policies: readonly Policy[];
  readonly #options: ResolvedLimiterOptions;
  readonly #time: SteadyTime;
  readonly #readsWall: boolean;
  readonly #host: ReplicaHost | null;
  readonly #replica: Replica | null;
  readonly #fingerprinter: Fingerprinter;
  readonly #markLimit: number;
  readonly #tally: Tally = { allowed: 0, refused: 0 };
  #engine: Engine;
  /** The engine's store. */
  #store: Store;
  #fastCheck: FastWindowCheck | null;
  /** The connection to the cluster, until this is closed. */
  #replicated: ReplicatedLimiter | undefined;
  readonly #advanceStore = (store: Store): void => this.#advanceTo(this.#time.read(), store);

  constructor(options: ResolvedLimiterOptions) {
    const { name, policies, clock, host } = options;
    const replica = host?.replica ?? null;
    replica?.replicatedLimiters.admit(name);
    this.name = name;
    this.policies = policies;
    this.#options = options;
    this.#host = host;
    this.#replica = replica;
    this.#time = host?.time ?? new SteadyTime(clock);
    this.#readsWall =
      host === null &&
      policies.some((policy) => policy.kind === "fixedWindow" && policy.calendar !== null);
    const strict = policies.find((policy) => policy.kind === "fixedWindow" && hasPenalties(policy));
    this.#markLimit = (strict ?? policies[0]!).limit;
    const sections = sectionsOf(policies, host !== null);
    const replicated = host === null ? undefined : replicatedLimiterOf(host, options, sections);
    const identity = replicated?.identity ?? { low: random32(), high: random32() };
    this.#fingerprinter = new Fingerprinter(replica?.seal.keySeed(identity) ?? identity);
    const store = replicated?.store ?? storeAlone(options, sections);
    this.#engine = new Engine(store, sections, options, this.#advanceStore);
    this.#store = store;
    this.#fastCheck = FastWindowCheck.of(store, policies, replica);
    this.#replicated = replicated;
    if (replicated !== undefined) this.#join(replicated);
  }

  check(key: string | Uint8Array, cost = 1, options?: CallOptions): Decision {
    if (typeof key !== "string") checkKey(key);
    if (cost !== 1) checkCost(cost);
    this.#advance();
    this.#fingerprinter.take(key);
    const { low, high } = this.#fingerprinter;
    const fastCheck = cost !== 0 && options === undefined ? this.#fastCheck : null;
    if (fastCheck !== null && this.#store.select(low, high)) {
      const decision = fastCheck.check(low, cost);
      if (decision !== null) return this.#reported(key, cost, decision, true);
    }
    return this.#decideTaken("check", key, cost, options);
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
    if (this.#engine.permits.areAll) {
      throw new TidegateError(
        "TIDEGATE_POLICY_UNSUITABLE",
        `limiter ${shown(this.name)} has only concurrency policies, whose permits are not refunded: use 'release'`,
      );
    }
    const id = this.#locate(key);
    this.#engine.refunds.give(id, this.#fingerprinter.low, cost, decision, tickets);
  }

  release(key: string | Uint8Array, cost = 1, options?: ReleaseOptions): void {
    checkCost(cost);
    if (!this.#engine.permits.exist) {
      throw new TidegateError(
        "TIDEGATE_POLICY_UNSUITABLE",
        `limiter ${shown(this.name)} has no concurrency policy to release from: use 'refund'`,
      );
    }
    this.#engine.permits.read(cost, options);
    const id = this.#locate(key);
    if (id !== NO_RECORD && this.#engine.permits.release(id)) this.#store.changed(id);
  }

  reset(key: string | Uint8Array): void {
    this.#locate(key);
    this.#store.reset(this.#fingerprinter.low, this.#fingerprinter.high);
    this.#engine.housekeeping.begin();
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
    this.#engine.housekeeping.begin();
  }

  unblock(key: string | Uint8Array): void {
    this.#locate(key);
    this.#store.unmark(this.#fingerprinter.low, this.#fingerprinter.high);
    this.#engine.housekeeping.begin();
  }

  inspect(key: string | Uint8Array): Inspection {
    const decision = this.#decide("peek", key, 0, undefined);
    const { low, high } = this.#fingerprinter;
    const marks = marksOf(this.#store, low, high, this.#markLimit);
    const results = decision.results ?? [resultOf(decision)];
    return { known: this.#store.find(low, high) !== NO_RECORD || marks.length > 0, results, marks };
  }

  status(): LimiterStatus {
    const { expired, foreign, live, refused, uncounted } = this.#store.evictions;
    return {
      name: this.name,
      keys: this.#store.size,
      maxKeys: this.#store.keysMax,
      ...this.#tally,
      evicted: { expired, foreign, live, refused, notes: this.#store.notes.dropped },
      uncounted,
      ignoredRefunds: this.#engine.refunds.ignored,
    };
  }

  close(): void {
    this.#fingerprinter.forget();
    const replicated = this.#replicated;
    if (replicated === undefined) {
      this.#engine.housekeeping.end();
      this.#store.close();
      return;
    }
    // The replicated counts stay with the cluster, and this limiter continues with a store of its
    // own.
    const sections = sectionsOf(this.policies, false);
    const store = storeAlone(this.#options, sections);
    this.#engine = new Engine(store, sections, this.#options, this.#advanceStore);
    this.#engine.housekeeping.end();
    this.#replicated = undefined;
    this.#store = store;
    this.#fastCheck = null;
    this.#host?.detach(replicated);
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
    const separation = this.#replica === null ? null : this.#replica.partitionDetector.separation;
    const decision = this.#engine.decider.decide(mode, low, high, cost, options, separation);
    this.#engine.housekeeping.begin();
    return mode === "peek"
      ? decision
      : this.#reported(key, cost, decision, this.#engine.decider.enforced);
  }

  /** Counts a decision for the status, and reports it to subscribers. */
  #reported(
    key: string | Uint8Array,
    cost: number,
    decision: Decision,
    enforced: boolean,
  ): Decision {
    if (decision.allowed) this.#tally.allowed++;
    else this.#tally.refused++;
    if (decisions.hasSubscribers) {
      decisions.publish({ limiter: this.name, key, cost, decision, enforced });
    }
    return decision;
  }

  /** Finds a key's record; its fingerprint stays in the fingerprinter. */
  #locate(key: unknown): RecordId {
    checkKey(key);
    this.#advance();
    this.#fingerprinter.take(key);
    return this.#store.find(this.#fingerprinter.low, this.#fingerprinter.high);
  }

  #join(replicated: ReplicatedLimiter): void {
    const housekeeping = this.#engine.housekeeping;
    replicated.open({
      limits: this.policies.map(({ limit }) => limit),
      tally: this.#tally,
      lifeMs: longestLifeMs(this.policies),
      keepHouse: () => housekeeping.begin(),
      leaveHouse: () => housekeeping.end(),
      close: () => this.close(),
    });
    this.#advanceTo(this.#time.read());
    this.#host?.attach(replicated);
  }

  #advance(): void {
    const now = this.#time.read();
    if (now !== this.#store.now || this.#readsWall) this.#advanceTo(now);
  }

  #advanceTo(now: number, store: Store = this.#store): void {
    const replica = this.#replica;
    if (replica !== null) store.advance(now, replica.clock.clusterNow(now));
    else store.advance(now, this.#readsWall ? this.#time.wall() : now);
  }
}

/** The decision of a single-policy limiter, as the result of that policy. */
function resultOf(decision: Decision): PolicyResult {
  const { policy, allowed, limit, used, remaining, resetMs, retryAfterMs, waitMs } = decision;
  return { policy, allowed, limit, used, remaining, resetMs, retryAfterMs, waitMs };
}
