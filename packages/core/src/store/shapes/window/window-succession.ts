/**
 * Finds the newest of a key's live windows, and moves counts when it changes.
 *
 * While this replica has hits in a window, the record keeps that window until it is over or own
 * hits are counted in a newer one. Then its hits move to the chain, and own hits of the new window
 * return from the chain. Windows that opened just before the newest one live as long as it does, so
 * that replicas agree when they open windows at the same time.
 */

import type { Component } from "../../../crdt/component.ts";
import { NO_REPLICA, type Replicas, SELF } from "../../replicas/replicas.ts";
import type { ComponentChain } from "../component-chain.ts";
import type { WindowRecord } from "./window-record.ts";

/** A cached sum is valid at most this long, because its end is kept as 32 bits. */
const CACHE_MS_MAX = 2 ** 30;

export interface WindowSpan {
  readonly windowMs: number;
  /** Windows that opened within this time of the newest end together with it. */
  readonly spreadMs: number;
}

export class WindowSuccession {
  readonly #record: WindowRecord;
  readonly #chain: ComponentChain;
  readonly #replicas: Replicas;
  readonly #windowMs: number;
  readonly #spreadMs: number;

  // Results of the last search.
  #newestOpener = NO_REPLICA;
  #newestPeriod = 0;
  #newestStart = 0;

  constructor(
    record: WindowRecord,
    chain: ComponentChain,
    replicas: Replicas,
    { windowMs, spreadMs }: WindowSpan,
  ) {
    this.#record = record;
    this.#chain = chain;
    this.#replicas = replicas;
    this.#windowMs = windowMs;
    this.#spreadMs = spreadMs;
  }

  /**
   * When a window ends here. The newest window of the key extends those that opened just before it.
   */
  liveUntil(id: number, opener: number, period: number): number {
    const start = period + this.#replicas.offsetMs(opener);
    if (this.#record.opener(id) === NO_REPLICA) return start + this.#windowMs;
    const newestStart = this.#start(id) + this.#record.leadMs(id);
    const together = start >= newestStart - this.#spreadMs;
    return (together ? Math.max(start, newestStart) : start) + this.#windowMs;
  }

  /**
   * When the live windows hold at most `target` of their present hits; 0 for when the newest ends.
   */
  untilAtMost(id: number, heldNow: number, target: number): number {
    const chain = this.#chain;
    const record = this.#record;
    if (chain.first(id) === 0) return 0;
    const ends: { at: number; held: number }[] = [];
    let inChain = 0;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      const held = chain.held(link);
      ends.push({ at: this.liveUntil(id, chain.opener(link), chain.period(link)), held });
      inChain += held;
    }
    const own = this.liveUntil(id, record.opener(id), record.openedAt(id));
    ends.push({ at: own, held: heldNow - inChain });
    ends.sort((left, right) => left.at - right.at);
    let held = heldNow;
    for (const end of ends) {
      held -= end.held;
      if (held <= target) return end.at;
    }
    return 0;
  }

  /** Merges another replica's component; returns whether it was new, undefined without room. */
  join(id: number, component: Component, now: number): boolean | undefined {
    const { replica, generation, opener, period } = component;
    const chain = this.#chain;
    const known = chain.find(id, replica, generation, opener, period);
    if (known === 0 && now >= this.liveUntil(id, opener, period)) return false;
    const link = known !== 0 ? known : chain.add(id, replica, generation, opener, period);
    if (link === 0) return undefined;
    const hits = chain.held(link);
    const refusals = chain.refusals(link);
    const grew = chain.raise(link, component.hits, component.refunds, component.refusals);
    if (known === 0) {
      if (!this.#addOlder(id, link)) this.renew(id, now);
    } else if (grew) {
      const grownHits = chain.held(link) - hits;
      this.#record.addOthers(id, grownHits, chain.refusals(link) - refusals);
    }
    return grew;
  }

  /** Finds the newest live window, drops ended ones, and sums up the rest. */
  renew(id: number, now: number): void {
    if (this.#settle(id, now)) this.#sumUp(id, now);
    else this.clear(id);
  }

  /** Turns the record to the newest live window, so that hits can be counted in it. */
  enterNewest(id: number, now: number): void {
    if (!this.#findNewest(id, now)) return;
    this.enter(id, this.#newestOpener, this.#newestPeriod);
    this.#sumUp(id, now);
  }

  /**
   * Turns the record to another window. Own hits of the one before move to the chain, and own hits
   * of this one return from the chain. Without room in the chain the record stays as it is.
   */
  enter(id: number, opener: number, period: number): void {
    const chain = this.#chain;
    const record = this.#record;
    const generation = record.generation(id);
    if (record.hasOwn(id)) {
      const link = chain.add(id, SELF, generation, record.opener(id), record.openedAt(id));
      if (link === 0) return;
      const refunds = record.refunds.get(id) ?? 0;
      chain.raise(link, record.hits(id), refunds, record.refusals(id));
    }
    record.enter(id, opener, period);

    const own = chain.find(id, SELF, generation, opener, period);
    if (own === 0) return;
    record.restore(id, chain.hits(own), chain.refunds(own), chain.refusals(own));
    chain.remove(id, own);
  }

  /** Drops every window. */
  clear(id: number): void {
    this.#chain.clear(id);
    this.#record.clear(id);
  }

  /**
   * Adds a new component to the sum over the others, if its window is the newest or an older one;
   * returns false when there is no such sum. The cached sum must be valid at this time.
   */
  #addOlder(id: number, link: number): boolean {
    const chain = this.#chain;
    const record = this.#record;
    if (chain.next(link) === 0 || record.opener(id) === NO_REPLICA) return false;
    const opener = chain.opener(link);
    const period = chain.period(link);
    const newerByMs =
      period + this.#replicas.offsetMs(opener) - (this.#start(id) + record.leadMs(id));
    if (newerByMs > 0) return false;
    if (newerByMs === 0 && record.isNewest(id)) {
      // When two windows began at the same time, only a full search finds the newest.
      if (opener !== record.opener(id) || period !== record.openedAt(id)) return false;
    }
    record.addOthers(id, chain.held(link), chain.refusals(link));
    record.endOthers(id, this.liveUntil(id, opener, period));
    return true;
  }

  /** When the record's window began, on this replica's clock. */
  #start(id: number): number {
    return this.#record.openedAt(id) + this.#replicas.offsetMs(this.#record.opener(id));
  }

  /** Decides which window is in the record; false when none is live. */
  #settle(id: number, now: number): boolean {
    const record = this.#record;
    if (!this.#findNewest(id, now)) return false;
    const opener = this.#newestOpener;
    const period = this.#newestPeriod;
    if (record.opener(id) === opener && record.openedAt(id) === period) {
      record.clearLead(id);
      return true;
    }
    if (record.hasOwn(id)) {
      record.setLead(id, this.#newestStart - this.#start(id));
      if (now < this.liveUntil(id, record.opener(id), record.openedAt(id))) return true;
      record.clear(id);
    }
    this.enter(id, opener, period);
    return true;
  }

  /** Finds the newest live window of the key; false when there is none. */
  #findNewest(id: number, now: number): boolean {
    const chain = this.#chain;
    const replicas = this.#replicas;
    this.#newestOpener = NO_REPLICA;
    this.#newestStart = Number.NEGATIVE_INFINITY;
    // A window without any count is none; the others' hits are in the chain.
    const record = this.#record;
    if (record.hasOwn(id)) this.#consider(record.opener(id), record.openedAt(id), now);
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      if (replicas.isDropped(chain.replica(link))) continue;
      this.#consider(chain.opener(link), chain.period(link), now);
    }
    return this.#newestOpener !== NO_REPLICA;
  }

  #consider(opener: number, period: number, now: number): void {
    const start = period + this.#replicas.offsetMs(opener);
    if (now >= start + this.#windowMs || start < this.#newestStart) return;
    const isTie = start === this.#newestStart;
    if (isTie && !this.#replicas.precedes(this.#newestOpener, opener)) return;
    this.#newestOpener = opener;
    this.#newestPeriod = period;
    this.#newestStart = start;
  }

  /** Drops ended windows and dropped replicas, and stores the sum of the rest. */
  #sumUp(id: number, now: number): void {
    const chain = this.#chain;
    let hits = 0;
    let refusals = 0;
    let until = now + CACHE_MS_MAX;
    if (!this.#record.isNewest(id)) {
      const ends = this.liveUntil(id, this.#record.opener(id), this.#record.openedAt(id));
      until = Math.min(until, ends);
    }
    let before = 0;
    for (let link = chain.first(id); link !== 0; ) {
      const next = chain.next(link);
      const ends = this.liveUntil(id, chain.opener(link), chain.period(link));
      if (now >= ends || this.#replicas.isDropped(chain.replica(link))) {
        chain.remove(id, link, before);
      } else {
        before = link;
        hits += chain.held(link);
        refusals += chain.refusals(link);
        until = Math.min(until, ends);
      }
      link = next;
    }
    this.#record.setOthers(id, hits, refusals, until);
  }
}
