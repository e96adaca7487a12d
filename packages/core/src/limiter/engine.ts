/**
 * What a limiter works with: a store, and the parts that decide, refund and sweep on it.
 *
 * A limiter has one engine at a time. When a replicated limiter is closed, its store stays with the
 * cluster, and the limiter continues with a new engine.
 */

import { randomBytes } from "node:crypto";
import type { ReplicaHost } from "../driver/replica-host.ts";
import { longestLifeMs } from "../policies/bounds.ts";
import type { Policy } from "../policies/policy.ts";
import { limiterIdentity, ReplicatedLimiter } from "../protocol/limiters/replicated-limiter.ts";
import type { Replica } from "../protocol/replica.ts";
import { joinProcessTimer, leaveProcessTimer } from "../runtime/process-timer.ts";
import { Replicas } from "../store/replicas/replicas.ts";
import { makeRule, type RuleSection } from "../store/shapes/make-rule.ts";
import { type Announcer, Store } from "../store/store.ts";
import { Anticipation } from "./anticipation.ts";
import { Decider } from "./decider.ts";
import { Housekeeping } from "./housekeeping.ts";
import type { ResolvedLimiterOptions } from "./limiter-options.ts";
import { PartitionQuota } from "./partition-quota.ts";
import { Permits } from "./permits.ts";
import { Refunds } from "./refunds.ts";

/** How much longer a reset is kept than what it ends, in a limiter that is not replicated. */
const LATE_MS = 60_000;

/** Sets the time of a store. */
type Advance = (store: Store) => void;

export class Engine {
  readonly store: Store;
  readonly decider: Decider;
  readonly permits: Permits;
  readonly refunds: Refunds;
  readonly housekeeping: Housekeeping;

  /** @param sections of the same meaning as those of the store */
  constructor(
    store: Store,
    sections: readonly RuleSection[],
    options: ResolvedLimiterOptions,
    advance: Advance,
  ) {
    const { name, policies, host, onPartition } = options;
    const rules = sections.map((section, policy) => section.rule(store.shapes[policy]!));
    const partitionQuota = new PartitionQuota(
      onPartition,
      host?.replica.onCold ?? "open",
      store.keysMax,
    );
    this.store = store;
    this.decider = new Decider(store, rules, policies, partitionQuota, anticipationOf(host));
    this.permits = new Permits(rules, policies);
    this.refunds = new Refunds(store, rules);
    this.housekeeping = new Housekeeping(store, {
      ...{ name, lifeMs: longestLifeMs(policies) },
      advance: () => advance(store),
      joinTimer: (beat) => (host === null ? joinProcessTimer(beat) : host.joinTimer(beat)),
      leaveTimer: (beat) => (host === null ? leaveProcessTimer(beat) : host.leaveTimer(beat)),
    });
  }
}

function anticipationOf(host: ReplicaHost | null): Anticipation | null {
  return host?.replica.anticipates === true ? new Anticipation(host.replica, host.random) : null;
}

/** 32 random bits that no other process can guess. */
export function random32(): number {
  return randomBytes(4).readInt32LE();
}

/** A store for a limiter that is not replicated. */
export function storeAlone(
  { policies, maxKeys }: ResolvedLimiterOptions,
  sections: readonly RuleSection[],
): Store {
  return new Store(sections, {
    replicas: new Replicas("self"),
    keysMax: maxKeys,
    keepMs: LATE_MS + longestLifeMs(policies),
    seed: random32(),
  });
}

/** @param shared whether other replicas count for the same keys */
export function sectionsOf(policies: readonly Policy[], shared: boolean): RuleSection[] {
  return policies.map((policy) => makeRule(policy, shared));
}

/**
 * The store of a replicated limiter: the one that a closed limiter of the same identity has left, or a
 * new one.
 */
export function replicatedLimiterOf(
  host: ReplicaHost,
  { name, policies, maxKeys }: ResolvedLimiterOptions,
  sections: readonly RuleSection[],
): ReplicatedLimiter {
  const { replica } = host;
  const { replicatedLimiters, replicas, rejections, seal, replayGuard } = replica;
  const meanings = sections.map(({ meaning }) => meaning);
  const identity = limiterIdentity(name, meanings);
  const keepMs = replayGuard.rememberedMs(longestLifeMs(policies));
  const left = replicatedLimiters.find(identity.low, identity.high);
  if (left !== undefined) {
    left.store.continueWithin({ keysMax: maxKeys, keepMs });
    return left;
  }
  const store: Store = new Store(sections, {
    ...{ replicas, keysMax: maxKeys, keepMs, seed: Math.floor(host.random() * 2 ** 32) | 0 },
    announcer: new DeadlineAnnouncer(host),
    dropped: (why) => rejections.part(why),
    evicted: (component) => replicated.keepEvicted(component),
  });
  const kinds = policies.map(inWords);
  const replicated: ReplicatedLimiter = new ReplicatedLimiter({
    name,
    identity,
    store,
    kinds,
    nameTag: seal.nameTag(name),
  });
  return replicated;
}

/** Has the replica publish what a store counts, and its host know when that is due sooner. */
class DeadlineAnnouncer implements Announcer {
  readonly #host: ReplicaHost;
  readonly #publisher: Replica["publisher"];

  constructor(host: ReplicaHost) {
    this.#host = host;
    this.#publisher = host.replica.publisher;
  }

  began(now: number): void {
    if (this.#publisher.began(now)) this.#host.deadlineIsSooner();
  }

  counted(now: number, unsent: number, limit: number, used: number): void {
    if (this.#publisher.counted(now, unsent, limit, used)) this.#host.deadlineIsSooner();
  }

  urgent(now: number): void {
    if (this.#publisher.urgent(now)) this.#host.deadlineIsSooner();
  }
}

function inWords(policy: Policy): string {
  if (policy.kind === "concurrency") return policy.kind;
  if ("perSecond" in policy) return `${policy.kind} of ${policy.perSecond} a second`;
  const { kind, windowMs } = policy;
  const calendar = "calendar" in policy ? policy.calendar : null;
  return `${kind} of ${calendar === null ? `${windowMs} ms` : `a calendar ${calendar.unit}`}`;
}
