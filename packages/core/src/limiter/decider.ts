/**
 * Asks every policy about one key, and then counts in all of them or in none.
 *
 * This is the request path. It finds the key once. For a limiter of one policy it allocates the
 * decision and nothing else. A refused hit changes nothing, except for policies that count refused
 * hits.
 */

import { Decision, type PolicyResult, type RefusalReason } from "../base/decision.ts";
import { type FixedWindowPolicy, hasPenalties } from "../policies/fixed-window.ts";
import { blankVerdict, isNearlyFull, judge, report, type Verdict } from "../policies/judge.ts";
import type { Policy } from "../policies/policy.ts";
import type { Separation } from "../protocol/replica.ts";
import type { Rule } from "../store/shapes/make-rule.ts";
import type { Store } from "../store/store.ts";
import { fingerprint53 } from "../store/table/fingerprint.ts";
import { NO_RECORD, type RecordId } from "../store/table/record-id.ts";
import type { Anticipation, Usage } from "./anticipation.ts";
import { Call, type CallOptions } from "./call.ts";
import { PartitionQuota } from "./partition-quota.ts";
import { drain, MarkedWait, punish } from "./penalties.ts";

/** Check and count; only check; only count. */
export type Mode = "check" | "peek" | "charge";

/** When to retry a hit that was refused during a partition: the end of a partition is not known. */
const SEPARATED_RETRY_MS = 1_000;

export class Decider {
  readonly #store: Store;
  readonly #rules: readonly Rule[];
  readonly #verdicts: readonly Verdict[];
  readonly #call: Call;
  readonly #marked = new MarkedWait();
  /** The policy that marks belong to: the one with penalties, or else the first. */
  readonly #markIndex: number;
  readonly #strict: FixedWindowPolicy | null;
  /** Which policies count refused hits, and whether any does. */
  readonly #refusedCounting: readonly boolean[];
  readonly #countsRefused: boolean;
  readonly #partitionQuota: PartitionQuota;
  readonly #anticipation: Anticipation | null;
  /** How long a hit counts, under policies whose hits leave one by one; 0 for others. */
  readonly #leavesOneByOneMs: readonly number[];
  #separation: Separation | null = null;
  /** Which policies counted the hit that the last call refused. */
  readonly #refusedCounts: boolean[];

  constructor(
    store: Store,
    rules: readonly Rule[],
    policies: readonly Policy[],
    partitionQuota: PartitionQuota = new PartitionQuota("open", "open", store.keysMax),
    anticipation: Anticipation | null = null,
  ) {
    this.#partitionQuota = partitionQuota;
    this.#store = store;
    this.#rules = rules;
    this.#verdicts = policies.map((policy) => blankVerdict(policy.name));
    this.#call = new Call(policies);
    const index = policies.findIndex(
      (policy) => policy.kind === "fixedWindow" && hasPenalties(policy),
    );
    this.#markIndex = Math.max(0, index);
    this.#strict = index < 0 ? null : (policies[index] as FixedWindowPolicy);
    this.#refusedCounting = policies.map(countsRefused);
    this.#countsRefused = this.#refusedCounting.includes(true);
    this.#leavesOneByOneMs = policies.map((policy) =>
      policy.kind === "slidingWindow" || policy.kind === "slidingLog" ? policy.windowMs : 0,
    );
    // What is refused by an estimate must have no consequences for later hits.
    this.#anticipation = this.#strict !== null || this.#countsRefused ? null : anticipation;
    this.#refusedCounts = policies.map(() => false);
  }

  /** Whether the caller of the last decision enforces it. */
  get enforced(): boolean {
    return this.#call.enforced;
  }

  /** Decides about a key at the store's time. */
  decide(
    mode: Mode,
    low: number,
    high: number,
    cost: number,
    options: CallOptions | undefined,
    separation: Separation | null = null,
  ): Decision {
    const store = this.#store;
    const rules = this.#rules;
    const verdicts = this.#verdicts;
    const { limits, costs } = this.#call;
    this.#call.read(cost, options);
    this.#separation = separation;
    if (separation === null) this.#partitionQuota.end();

    let id = store.find(low, high);
    let allowed = true;
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index]!;
      const verdict = verdicts[index]!;
      rule.read(id, store.now, store.clusterNow, low);
      if (mode === "charge") {
        verdict.allowed = true;
        verdict.limit = limits[index]!;
        verdict.waitMs = 0;
        verdict.retryAfterMs = 0;
        report(rule, costs[index]!, verdict);
      } else {
        judge(rule, costs[index]!, limits[index]!, mode === "check", verdict);
        allowed &&= verdict.allowed;
      }
    }

    if (allowed && mode === "check" && separation === null)
      allowed = !this.#isAnticipated(id, low, high);
    let reason: RefusalReason | null = allowed ? null : "limit";
    if (separation !== null && allowed && mode !== "charge") {
      if (!this.#isWithinQuota(id, low, high, separation, mode === "check")) reason = "partition";
    }
    const isNoted = mode !== "charge" && store.isNoted(id);
    if (isNoted || (!allowed && this.#strict !== null)) {
      reason = this.#readMarks(low, high) ?? reason;
    }

    if (reason === null) {
      if (mode !== "peek" && cost > 0) {
        const isNew = id === NO_RECORD;
        id = this.#count(id, low, high);
        if (isNew && id !== NO_RECORD && separation !== null)
          this.#beginQuotas(separation, low, high);
      } else if (mode !== "peek") id = NO_RECORD;
      return this.#decision(null, mode === "peek" ? NO_RECORD : id, low);
    }
    if (this.#countsRefused) this.#refusedCounts.fill(false);
    if (reason === "limit" && mode === "check") this.#noteRefusal(id, low, high);
    if (mode === "check" && reason !== "partition") {
      reason = this.#refuse(id, low, high, reason);
    }
    this.#uncount(reason);
    const isCounted = mode === "check" && this.#countsRefused && this.#refusedCounts.includes(true);
    return this.#decision(reason, isCounted ? id : NO_RECORD, low);
  }

  /** Whether a limit is used up by hits of other replicas that are on their way here. */
  #isAnticipated(id: RecordId, low: number, high: number): boolean {
    const anticipation = this.#anticipation;
    if (anticipation === null || id === NO_RECORD) return false;
    const { now } = this.#store;
    for (let index = 0; index < this.#rules.length; index++) {
      const rule = this.#rules[index]!;
      const verdict = this.#verdicts[index]!;
      const { openForMs } = rule;
      const leavesMs = this.#leavesOneByOneMs[index]!;
      if (openForMs === undefined && leavesMs === 0) continue;
      const usage = this.#usage(id, index);
      if (!isNearlyFull(usage.used, usage.limit)) continue;
      const key = fingerprint53(low, high) + index;
      const cost = this.#call.costs[index]!;
      const isRefused =
        openForMs === undefined
          ? anticipation.refusesWhileFull(key, usage, cost, now)
          : anticipation.refuses(
              key,
              { ...usage, openForMs, leftMs: rule.msUntilEmptyAfter(0) },
              cost,
              now,
            );
      if (!isRefused) continue;
      verdict.allowed = false;
      report(rule, 0, verdict);
      verdict.remaining = 0;
      verdict.retryAfterMs = Math.max(1, rule.msUntilAtMost((usage.used - 1) * rule.scale));
      return true;
    }
    return false;
  }

  /** Where hits leave one by one, a refusal shows that the limit is reached all the time. */
  #noteRefusal(id: RecordId, low: number, high: number): void {
    if (this.#anticipation === null || id === NO_RECORD) return;
    for (let index = 0; index < this.#rules.length; index++) {
      const leavesMs = this.#leavesOneByOneMs[index]!;
      if (leavesMs === 0 || this.#verdicts[index]!.allowed) continue;
      const key = fingerprint53(low, high) + index;
      const cost = this.#call.costs[index]!;
      const usage = this.#usage(id, index);
      const fits = usage.used + cost <= usage.limit;
      this.#anticipation.refused(key, usage, cost, fits, this.#store.now, leavesMs);
    }
  }

  #usage(id: RecordId, index: number): Usage {
    const rule = this.#rules[index]!;
    const own = rule.own?.(id) ?? 0;
    return { used: rule.usedUnits / rule.scale, own, limit: this.#verdicts[index]!.limit };
  }

  /** Whether the last of these hits is within this replica's part of each limit. */
  #isWithinQuota(
    id: RecordId,
    low: number,
    high: number,
    separation: Separation,
    counts: boolean,
  ): boolean {
    const { limits, costs } = this.#call;
    const known = { key: fingerprint53(low, high), hasRecord: id !== NO_RECORD };
    let isWithinQuota = true;
    for (let index = 0; index < this.#rules.length; index++) {
      const verdict = this.#verdicts[index]!;
      const used = Math.max(
        0,
        Math.floor(this.#rules[index]!.usedUnits / this.#rules[index]!.scale),
      );
      const limit = this.#partitionQuota.limitOf(separation, known, index, limits[index]!, used);
      if (limit >= limits[index]!) continue;
      const cost = costs[index]!;
      const isFitting = used + cost <= limit;
      const left = limit - used - (isFitting && counts ? cost : 0);
      verdict.remaining = Math.min(verdict.remaining, Math.max(0, left));
      if (isFitting) continue;
      verdict.allowed = false;
      verdict.retryAfterMs = SEPARATED_RETRY_MS;
      isWithinQuota = false;
    }
    return isWithinQuota;
  }

  #beginQuotas(separation: Separation, low: number, high: number): void {
    const key = fingerprint53(low, high);
    for (let index = 0; index < this.#rules.length; index++) {
      this.#partitionQuota.begin(separation, key, index);
    }
  }

  /** Counts the hit in every policy; returns the record, or 0 when there was no room for one. */
  #count(id: RecordId, low: number, high: number): RecordId {
    const store = this.#store;
    const rules = this.#rules;
    let record = id;
    if (id === NO_RECORD) {
      record = store.insert(low, high);
      if (record === NO_RECORD) return NO_RECORD;
      for (const rule of rules) rule.read(record, store.now, store.clusterNow, low);
    }
    store.changed(record);
    const { costs } = this.#call;
    let opens = false;
    for (let index = 0; index < rules.length; index++) {
      const rule = rules[index]!;
      if (costs[index]! <= 0) continue;
      opens ||= rule.opens;
      rule.add(record, costs[index]!);
    }
    if (store.unsent !== null) this.#announce(record, opens);
    return record;
  }

  /** Reports how near a key is to its limit, by the policy with the least remaining. */
  #announce(id: RecordId, opens: boolean): void {
    const { costs } = this.#call;
    let nearest = this.#verdicts[0]!;
    let hits = 0;
    for (let index = 0; index < costs.length; index++) {
      const verdict = this.#verdicts[index]!;
      if (verdict.limit - verdict.used < nearest.limit - nearest.used) nearest = verdict;
      hits = Math.max(hits, costs[index]!);
    }
    this.#store.counted(id, hits, nearest.limit, nearest.used);
    if (opens) this.#store.unsent?.urgent(this.#store.now);
  }

  /** Applies the policies' penalties when a hit is refused; returns the reason of the refusal. */
  #refuse(id: RecordId, low: number, high: number, reason: RefusalReason): RefusalReason {
    const store = this.#store;
    if (id !== NO_RECORD) store.setRefused(id);
    if (this.#countsRefused && reason === "limit") this.#countRefused(id, low);
    const policy = this.#strict;
    const index = this.#markIndex;
    const verdict = this.#verdicts[index]!;
    if (policy === null || reason === "block") return reason;
    if (verdict.allowed && reason === "limit") return reason;
    // A hit that never fits can only cause a drain, and a drain needs a window.
    if (this.#call.costs[index]! > verdict.limit) {
      if (!policy.drain || verdict.resetMs === 0) return reason;
      drain(store, low, high, verdict.limit, verdict.resetMs);
      return this.#readMarks(low, high) ?? reason;
    }

    const rule = this.#rules[index]!;
    if (id !== NO_RECORD && (policy.ban !== null || policy.backoff !== null)) {
      rule.refuse(id);
      store.changed(id);
      store.setRefused(id);
      rule.read(id, store.now, store.clusterNow, low);
    }
    const resetMs = verdict.allowed ? 0 : verdict.retryAfterMs;
    punish(store, low, high, policy, rule, verdict.limit, resetMs);
    return this.#readMarks(low, high) ?? reason;
  }

  /** Counts refused hits where a policy says so, and judges again afterwards. */
  #countRefused(id: RecordId, low: number): void {
    const store = this.#store;
    const { limits, costs } = this.#call;
    for (let index = 0; index < this.#rules.length; index++) {
      const rule = this.#rules[index]!;
      const verdict = this.#verdicts[index]!;
      const cost = costs[index]!;
      if (id === NO_RECORD || verdict.allowed || !this.#refusedCounting[index]) continue;
      // A hit that never fits is counted with others, but does not open a window.
      if (cost > limits[index]! && rule.usedUnits === 0) continue;
      store.changed(id);
      rule.add(id, cost);
      this.#refusedCounts[index] = true;
      store.setRefused(id);
      rule.read(id, store.now, store.clusterNow, low);
      judge(rule, cost, limits[index]!, false, verdict);
    }
  }

  #readMarks(low: number, high: number): RefusalReason | null {
    this.#marked.read(this.#store, low, high, this.#call.limits[this.#markIndex]!);
    return this.#marked.reason;
  }

  /**
   * The policies that would have allowed the hit report as if it were absent, because it is not
   * counted.
   */
  #uncount(reason: RefusalReason): void {
    for (let index = 0; index < this.#rules.length; index++) {
      const verdict = this.#verdicts[index]!;
      if (verdict.allowed) {
        verdict.waitMs = 0;
        report(this.#rules[index]!, 0, verdict);
      }
    }
    if (reason === "limit" || reason === "partition") return;
    const verdict = this.#verdicts[this.#markIndex]!;
    const { waitMs } = this.#marked;
    verdict.allowed = false;
    verdict.remaining = 0;
    verdict.retryAfterMs = Math.max(verdict.retryAfterMs, waitMs);
    verdict.resetMs = Math.max(verdict.resetMs, waitMs);
  }

  /** A decision for another key or limiter, or from before a reset, refunds nothing. */
  #decision(reason: RefusalReason | null, id: RecordId, low: number): Decision {
    const rules = this.#rules;
    const atMs = this.#store.now;
    const tie = id === NO_RECORD ? 0 : this.#store.ticketTie(id, low);
    const degraded = this.#separation?.kind === "partition";
    const { weights } = this.#call;
    if (rules.length === 1 && weights === null) {
      const ticket = id === NO_RECORD ? 0 : (rules[0]!.ticket(id) + tie) | 0;
      return new Decision(this.#verdicts[0]!, atMs, reason, ticket, undefined, degraded);
    }
    const tickets = rules.flatMap((rule, index) =>
      id === NO_RECORD || (reason !== null && !this.#refusedCounts[index])
        ? [0, 0]
        : [(rule.ticket(id) + tie) | 0, weights === null ? 1 : weights[index]!],
    );
    if (rules.length === 1) {
      return new Decision(this.#verdicts[0]!, atMs, reason, tickets, undefined, degraded);
    }
    const results = this.#verdicts.map((verdict) => Object.freeze({ ...verdict }));
    return new Decision(binding(results), atMs, reason, tickets, Object.freeze(results), degraded);
  }
}

function countsRefused(policy: Policy): boolean {
  return (policy.kind === "fixedWindow" || policy.kind === "slidingWindow") && policy.countRefused;
}

/** The refusing policy with the longest wait, or the one with the least remaining. */
function binding(results: readonly PolicyResult[]): PolicyResult {
  let chosen = results[0]!;
  let waitMs = 0;
  for (const result of results) {
    waitMs = Math.max(waitMs, result.waitMs);
    if (result.allowed !== chosen.allowed) {
      if (!result.allowed) chosen = result;
    } else if (
      result.allowed
        ? result.remaining < chosen.remaining
        : result.retryAfterMs > chosen.retryAfterMs
    ) {
      chosen = result;
    }
  }
  return waitMs === chosen.waitMs ? chosen : { ...chosen, waitMs };
}
