/**
 * What a limiter works with: a store, and what decides, gives back and keeps house on it.
 *
 * A limiter has one of these at a time, and another one when it has been closed in a cluster: the store
 * with what it counted stays with the cluster then.
 */

import type { Store } from "../store/store.ts";
import { Decider } from "./decider.ts";
import { Housekeeping } from "./housekeeping.ts";
import type { ResolvedLimiterOptions } from "./limiter-options.ts";
import type { RuleSection } from "./make-rule.ts";
import { Places } from "./places.ts";
import { Refunds } from "./refunds.ts";
import { Separated } from "./separated.ts";

export interface WorkingsOptions {
  readonly options: ResolvedLimiterOptions;
  /** What the store's records are made of. */
  readonly sections: readonly RuleSection[];
  readonly lifeMs: number;
  /** Tells the store what time it is. */
  readonly advance: (store: Store) => void;
}

export class Workings {
  readonly store: Store;
  readonly decider: Decider;
  readonly places: Places;
  readonly refunds: Refunds;
  readonly housekeeping: Housekeeping;

  constructor(store: Store, { options, sections, lifeMs, advance }: WorkingsOptions) {
    const { name, policies, maxKeys, replicator, onPartition } = options;
    const rules = sections.map((section, policy) => section.rule(store.shapes[policy]!));
    const separated = new Separated(onPartition, replicator?.onCold ?? "open");
    this.store = store;
    this.decider = new Decider(store, rules, policies, separated);
    this.places = new Places(rules, policies);
    this.refunds = new Refunds(store, rules);
    this.housekeeping = new Housekeeping(store, {
      ...{ name, maxKeys, lifeMs },
      advance: () => advance(store),
    });
  }
}
