/**
 * What a limiter works with: a store, and the parts that decide, refund and sweep on it.
 *
 * A limiter has one engine at a time. When a replicated limiter is closed, its store stays with the
 * cluster, and the limiter continues with a new engine.
 */

import { randomBytes } from "node:crypto";
import { longestLifeMs } from "../policies/bounds.ts";
import type { Policy } from "../policies/policy.ts";
import { limiterIdentity, ReplicatedLimiter } from "../replication/limiters/replicated-limiter.ts";
import type { Replicator } from "../replication/replicator.ts";
import { Replicas } from "../store/replicas/replicas.ts";
import { makeRule, type RuleSection } from "../store/shapes/make-rule.ts";
import { Store } from "../store/store.ts";
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
    const { name, policies, replicator, onPartition } = options;
    const rules = sections.map((section, policy) => section.rule(store.shapes[policy]!));
    const partitionQuota = new PartitionQuota(
      onPartition,
      replicator?.onCold ?? "open",
      store.keysMax,
    );
    this.store = store;
    this.decider = new Decider(store, rules, policies, partitionQuota);
    this.permits = new Permits(rules, policies);
    this.refunds = new Refunds(store, rules);
    this.housekeeping = new Housekeeping(store, {
      ...{ name, lifeMs: longestLifeMs(policies) },
      advance: () => advance(store),
    });
  }
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
  replicator: Replicator,
  { name, policies, maxKeys }: ResolvedLimiterOptions,
  sections: readonly RuleSection[],
): ReplicatedLimiter {
  const { replicatedLimiters, replicas, publisher, rejections, seal, replayGuard } = replicator;
  const meanings = sections.map(({ meaning }) => meaning);
  const identity = limiterIdentity(name, meanings);
  const keepMs = replayGuard.rememberedMs(longestLifeMs(policies));
  const left = replicatedLimiters.find(identity.low, identity.high);
  if (left !== undefined) {
    left.store.continueWithin({ keysMax: maxKeys, keepMs });
    return left;
  }
  const store: Store = new Store(sections, {
    ...{ replicas, keysMax: maxKeys, keepMs, seed: random32() },
    announcer: publisher,
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

function inWords(policy: Policy): string {
  if (policy.kind === "concurrency") return policy.kind;
  if ("perSecond" in policy) return `${policy.kind} of ${policy.perSecond} a second`;
  const { kind, windowMs } = policy;
  const calendar = "calendar" in policy ? policy.calendar : null;
  return `${kind} of ${calendar === null ? `${windowMs} ms` : `a calendar ${calendar.unit}`}`;
}
