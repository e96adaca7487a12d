/**
 * What a limiter works with: a store, and what decides, gives back and keeps house on it.
 *
 * A limiter has one of these at a time, and another one when it has been closed in a cluster: the store
 * with what it counted stays with the cluster then.
 */

import { randomBytes } from "node:crypto";
import { longestLifeMs } from "../policies/life.ts";
import type { Policy } from "../policies/policy.ts";
import { Replicas } from "../store/replicas/replicas.ts";
import { makeRule, type RuleSection } from "../store/shapes/make-rule.ts";
import { Store } from "../store/store.ts";
import { Decider } from "./decider.ts";
import { Housekeeping } from "./housekeeping.ts";
import type { ResolvedLimiterOptions } from "./limiter-options.ts";
import { PartitionQuota } from "./partition-quota.ts";
import { Permits } from "./permits.ts";
import { Refunds } from "./refunds.ts";

/** How much longer than what it ends a reset is remembered where nobody else counts. */
const LATE_MS = 60_000;

/** Tells a store what time it is. */
type Advance = (store: Store) => void;

export class Engine {
  readonly store: Store;
  readonly decider: Decider;
  readonly places: Permits;
  readonly refunds: Refunds;
  readonly housekeeping: Housekeeping;

  /** @param sections of the same meaning as those that the store was made of */
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
    this.places = new Permits(rules, policies);
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

/** A store of what nobody else counts. */
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
