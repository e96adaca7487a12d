/**
 * Which of a key's live windows is the newest, and what follows when that changes.
 *
 * The record is about the newest window. When another takes its place, own hits of the one before
 * go on in the chain, and own hits that the chain has of the new one come back. Windows that opened
 * just before the newest live as long as it does, so that replicas that opened at once agree.
 */

import type { Component } from "../lattice/component.ts";
import type { ComponentChain } from "./component-chain.ts";
import { NOBODY, type Replicas, SELF } from "./replicas.ts";
import type { WindowRecord } from "./window-record.ts";

/** A cached sum is trusted at most this long, because its end is kept as 32 bits. */
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

  /** When a window ends here, the newest of the key lending its end to those just before it. */
  liveUntil(id: number, opener: number, place: number): number {
    const start = place + this.#replicas.offsetMs(opener);
    const newest = this.#record.opener(id);
    if (newest === NOBODY) return start + this.#windowMs;
    const newestStart = this.#record.openedAt(id) + this.#replicas.offsetMs(newest);
    const together = start >= newestStart - this.#spreadMs;
    return (together ? Math.max(start, newestStart) : start) + this.#windowMs;
  }

  /** Merges another replica's component; returns whether it held anything new. */
  join(id: number, component: Component, now: number): boolean {
    const { replica, generation, opener, place } = component;
    const chain = this.#chain;
    const known = chain.find(id, replica, generation, opener, place);
    const link = known !== 0 ? known : this.#admit(id, component, now);
    if (link === 0) return false;
    const hits = chain.hits(link) - chain.refunds(link);
    const refusals = chain.refusals(link);
    const grew = chain.raise(link, component.hits, component.refunds, component.refusals);
    if (known === 0) {
      this.renew(id, now);
    } else if (grew) {
      const grownHits = chain.hits(link) - chain.refunds(link) - hits;
      this.#record.addOthers(id, grownHits, chain.refusals(link) - refusals);
    }
    return grew;
  }

  /**
   * Finds the newest live window, lets go of what has ended, makes the record about the newest and
   * sums up the rest.
   */
  renew(id: number, now: number): void {
    if (this.#enterNewest(id, now)) this.#sumUp(id, now);
    else this.clear(id);
  }

  /**
   * Makes the record about another window. Own hits of the one before go on in the chain, and own
   * hits that the chain has of this one come back.
   */
  enter(id: number, opener: number, place: number): void {
    const chain = this.#chain;
    const record = this.#record;
    const generation = record.generation(id);
    if (record.hasOwn(id)) {
      const link = chain.add(id, SELF, generation, record.opener(id), record.openedAt(id));
      const refunds = record.refunds.get(id) ?? 0;
      if (link !== 0) chain.raise(link, record.hits(id), refunds, record.refusals(id));
    }
    record.enter(id, opener, place);

    const own = chain.find(id, SELF, generation, opener, place);
    if (own === 0) return;
    record.restore(id, chain.hits(own), chain.refunds(own), chain.refusals(own));
    chain.remove(id, own);
  }

  /** Lets go of every window. */
  clear(id: number): void {
    this.#chain.clear(id);
    this.#record.clear(id);
  }

  /** A new link for a component whose window is live; 0 for one that is over, or when out of room. */
  #admit(id: number, component: Component, now: number): number {
    const { replica, generation, opener, place } = component;
    if (now >= this.liveUntil(id, opener, place)) return 0;
    return this.#chain.add(id, replica, generation, opener, place);
  }

  /** Makes the record about the newest live window; false when there is none. */
  #enterNewest(id: number, now: number): boolean {
    const chain = this.#chain;
    const replicas = this.#replicas;
    let newestOpener = NOBODY;
    let newestPlace = 0;
    let newestStart = Number.NEGATIVE_INFINITY;
    const consider = (opener: number, place: number): void => {
      const start = place + replicas.offsetMs(opener);
      if (now >= start + this.#windowMs || start < newestStart) return;
      if (start === newestStart && !replicas.precedes(newestOpener, opener)) return;
      newestOpener = opener;
      newestPlace = place;
      newestStart = start;
    };
    const opener = this.#record.opener(id);
    const place = this.#record.openedAt(id);
    if (opener !== NOBODY) consider(opener, place);
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      if (!replicas.isDropped(chain.replica(link))) consider(chain.opener(link), chain.place(link));
    }
    if (newestOpener === NOBODY) return false;
    if (opener !== newestOpener || place !== newestPlace) this.enter(id, newestOpener, newestPlace);
    return true;
  }

  /** Lets go of what has ended and of who was dropped, and keeps the sum of the rest. */
  #sumUp(id: number, now: number): void {
    const chain = this.#chain;
    let hits = 0;
    let refusals = 0;
    let until = now + CACHE_MS_MAX;
    for (let link = chain.first(id); link !== 0; ) {
      const next = chain.next(link);
      const ends = this.liveUntil(id, chain.opener(link), chain.place(link));
      if (now >= ends || this.#replicas.isDropped(chain.replica(link))) {
        chain.remove(id, link);
      } else {
        hits += chain.hits(link) - chain.refunds(link);
        refusals += chain.refusals(link);
        until = Math.min(until, ends);
      }
      link = next;
    }
    this.#record.setOthers(id, hits, refusals, until);
  }
}
