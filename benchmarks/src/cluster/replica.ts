/**
 * One replica within a cluster: it counts for its keys, and joins what others are said to have
 * counted for them. Of the others there is nothing in the process but what they said.
 */

import type { Policy } from "@tidegate/core";
import type { Component, Decider, Fingerprinter, Internals, Store } from "./internals.ts";

/** What one of the others counted: who, the window or slot it is in, and how many hits. */
export type Heard = Pick<Component, "replica" | "opener" | "period" | "hits">;

const KEEP_MS = 120_000;
const SEED = 0x5eed_0001;

export class ClusterReplica {
  readonly #store: Store;
  readonly #decider: Decider;
  readonly #fingerprinter: Fingerprinter;
  readonly #component: Component;

  /** @param others how many replicas it knows beside itself; they have the numbers from 1 */
  constructor(internals: Internals, policy: Policy, others: number, keysMax: number) {
    const replicas = new internals.Replicas("self");
    for (let other = 1; other <= others; other++) replicas.indexOf(`other-${other}`);
    const section = internals.makeRule(policy, true);
    this.#store = new internals.Store([section], {
      replicas,
      keysMax,
      keepMs: KEEP_MS,
      seed: SEED,
    });
    const rule = section.rule(this.#store.shapes[0]!);
    this.#decider = new internals.Decider(this.#store, [rule], [policy]);
    this.#component = internals.blankComponent();
    this.#fingerprinter = new internals.Fingerprinter({ low: SEED, high: ~SEED });
  }

  get keysHeld(): number {
    return this.#store.size;
  }

  /** Tells it the time; its own clock and the cluster's agree. */
  advanceTo(nowMs: number): void {
    this.#store.advance(nowMs, nowMs);
  }

  /** Counts one hit of its own; returns whether it was allowed. */
  check(key: string): boolean {
    const { low, high } = this.#fingerprintOf(key);
    return this.#decider.decide("check", low, high, 1, undefined).allowed;
  }

  /** Joins what others counted for a key; returns whether all of it was news. */
  join(key: string, heard: readonly Heard[]): boolean {
    const component = this.#component;
    const { low, high } = this.#fingerprintOf(key);
    component.low = low;
    component.high = high;
    let isNews = true;
    for (const { replica, opener, period, hits } of heard) {
      component.replica = replica;
      component.opener = opener;
      component.period = period;
      component.hits = hits;
      if (!this.#store.join(component)) isNews = false;
    }
    return isNews;
  }

  /** How many hits of a key it knows of, its own and others'. */
  used(key: string): number {
    const { low, high } = this.#fingerprintOf(key);
    return this.#decider.decide("peek", low, high, 0, undefined).used;
  }

  close(): void {
    this.#store.close();
  }

  #fingerprintOf(key: string): Fingerprinter {
    this.#fingerprinter.take(key);
    return this.#fingerprinter;
  }
}
