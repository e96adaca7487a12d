/**
 * Permits held now, such as requests in flight. They have no period and end only with a release.
 *
 * Permits count while their replica is alive. Hits and releases are both kept, because each only
 * grows; their difference is what is held. A record that holds own permits is never evicted,
 * because a release will follow. So a later generation of a replica ends the earlier ones. In a
 * cluster the record is kept for a while after the last release, and a replica that missed the
 * release receives it again.
 *
 * A replica that missed it for longer receives all permits that are held, and ends those that are
 * not among them. It can tell which, because each component of another replica stores the frame in
 * which it last arrived. A released component is kept as long as an older frame could still arrive.
 *
 *     | hits | releases | chain | others | idle since |
 */

import type { Component } from "../../../crdt/component.ts";
import { type Replicas, SELF } from "../../replicas/replicas.ts";
import type { ComponentVisitor, Shape, Timing } from "../../table/entry.ts";
import { RecordFields } from "../../table/record-fields.ts";
import type { RecordPool } from "../../table/record-pool.ts";
import { ComponentChain } from "../component-chain.ts";
import type { Rule } from "../make-rule.ts";

const HITS = 0;
const RELEASES = 1;
const CHAIN = 2;
const OTHERS = 3;
const IDLE_SINCE = 4;

/** How long a release can be published again by itself. */
const RELEASES_KEPT_MS = 60_000;

/** Words of a record that the shape uses. */
export const GAUGE_SHAPE_WORDS: number = IDLE_SINCE + 1;

export class GaugeShape implements Shape, Rule<number> {
  readonly periodKind = "none";
  readonly endsWithReset = false;
  readonly scale = 1;
  readonly slack = 0;
  readonly maxWaitMs = 0;
  readonly refusals = 0;
  readonly opens = false;

  /** What the last `read` saw: the permits of all live replicas. */
  usedUnits = 0;

  readonly #fields: RecordFields;
  readonly #replicas: Replicas;
  readonly #chain: ComponentChain;

  readonly #shared: boolean;

  /** @param shared whether other replicas count the same keys, alive at the moment or not */
  constructor(records: RecordPool, replicas: Replicas, base: number, shared: boolean) {
    this.#shared = shared;
    this.#fields = new RecordFields(records, base);
    this.#replicas = replicas;
    this.#chain = new ComponentChain(records, base + CHAIN, "refunds");
  }

  read(id: number): void {
    this.usedUnits = id === 0 ? 0 : this.#ownHeld(id) + this.#fields.count(id, OTHERS);
  }

  add(id: number, cost: number): void {
    this.#fields.addToCount(id, HITS, cost);
    this.#fields.setWord(id, IDLE_SINCE, 0);
  }

  msUntilAtMost(target: number): number {
    return this.usedUnits <= target ? 0 : Number.POSITIVE_INFINITY;
  }

  msUntilEmptyAfter(cost: number): number {
    return this.usedUnits + cost > 0 ? Number.POSITIVE_INFINITY : 0;
  }

  refuse(): void {}

  ticket(): number {
    return 0;
  }

  /** Neither time nor a refund releases a permit: only `releasePermits` does. */
  refund(): number {
    return 0;
  }

  releasePermits(id: number, cost: number): number {
    const released = Math.min(cost, this.#ownHeld(id));
    this.#fields.addToCount(id, RELEASES, released);
    return released;
  }

  refresh(id: number): void {
    let others = 0;
    const chain = this.#chain;
    chain.retain(id, (link) => {
      const replica = chain.replica(link);
      if (this.#isOver(replica, chain.period(link))) return false;
      if (this.#replicas.isAlive(replica)) others += chain.held(link);
      return true;
    });
    this.#fields.setCount(id, OTHERS, others);
  }

  /** A reset ends counts; held permits are not counts. */
  wipe(): void {}

  release(id: number): void {
    this.#chain.clear(id);
  }

  releaseAll(): void {
    this.#chain.clearAll();
  }

  /** The permits of a silent replica do not count, but will again after its next heartbeat. */
  isExpired(id: number, now: number): boolean {
    if (this.#ownHeld(id) !== 0 || this.#fields.count(id, OTHERS) !== 0) return false;
    const chain = this.#chain;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      if (chain.hits(link) > chain.refunds(link)) return false;
      if (chain.period(link) > this.#replicas.receivedUpTo(chain.replica(link))) return false;
    }
    if (!this.#shared) return true;
    const since = this.#fields.word(id, IDLE_SINCE);
    if (since !== 0) return ((now - since) | 0) >= RELEASES_KEPT_MS;
    this.#fields.setWord(id, IDLE_SINCE, now | 0 || 1);
    return false;
  }

  isOwn(id: number): boolean {
    return this.#ownHeld(id) > 0;
  }

  isHeld(id: number): boolean {
    return this.#ownHeld(id) > 0;
  }

  weight(id: number): number {
    return this.#ownHeld(id) + this.#fields.count(id, OTHERS);
  }

  timing(): Timing {
    return "live";
  }

  join(id: number, component: Component): boolean | undefined {
    const { replica, generation, period } = component;
    const chain = this.#chain;
    if (this.#isOver(replica, period)) return false;
    let link = this.#latest(id, replica, generation);
    if (link === undefined) return false;
    if (link === 0) link = chain.add(id, replica, generation, SELF, period);
    if (link === 0) return undefined;
    if (period > chain.period(link)) chain.setPeriod(link, period);
    const held = chain.held(link);
    const grew = chain.raise(link, component.hits, component.refunds, 0);
    if (grew) this.#fields.setWord(id, IDLE_SINCE, 0);
    if (grew && this.#replicas.isAlive(replica)) {
      this.#fields.addToCount(id, OTHERS, chain.held(link) - held);
    }
    if (this.#replicas.formers.exist) this.#endFormerIds(id);
    return grew;
  }

  emit(
    id: number,
    _now: number,
    _clusterNow: number,
    component: Component,
    visit: ComponentVisitor,
  ): void {
    const hits = this.#fields.count(id, HITS);
    if (hits === 0) return;
    component.opener = SELF;
    component.period = 0;
    component.hits = hits;
    component.refunds = this.#fields.count(id, RELEASES);
    component.refusals = 0;
    visit(component);
  }

  /** The permits of a crashed replica end with it, and a silent one publishes its own again. */
  emitRemote(): void {}

  refersTo(id: number, mark: (replica: number) => void): void {
    this.#chain.refersTo(id, mark);
  }

  /** Whether a permit of an earlier frame is released, because later frames did not repeat it. */
  #isOver(replica: number, frame: number): boolean {
    return this.#replicas.isDropped(replica) || frame < this.#replicas.heldSince(replica);
  }

  /**
   * The component of a replica's generation, or 0; undefined if a later generation is known. Ends
   * the permits of earlier generations: a record with permits is not evicted, so a new generation
   * means that all were released, whether those releases arrived or not.
   */
  #latest(id: number, replica: number, generation: number): number | undefined {
    const chain = this.#chain;
    let latest = 0;
    let hasEarlier = false;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      if (chain.replica(link) !== replica) continue;
      const laterBy = (generation - chain.generation(link)) | 0;
      if (laterBy < 0) return undefined;
      if (laterBy === 0) latest = link;
      else hasEarlier = true;
    }
    if (hasEarlier) this.#end(id, (link) => chain.replica(link) === replica && link !== latest);
    return latest;
  }

  /** Ends permits of former ids whose replicas report them under their new ids. */
  #endFormerIds(id: number): void {
    const chain = this.#chain;
    const ended = new Map<number, number>();
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      const former = this.#replicas.formers.of(chain.replica(link));
      if (former !== undefined) ended.set(former.replica, former.upTo);
    }
    if (ended.size === 0) return;
    this.#end(id, (link) => chain.period(link) <= (ended.get(chain.replica(link)) ?? -1));
  }

  /** Removes components and the permits in them. */
  #end(id: number, isEnded: (link: number) => boolean): void {
    const chain = this.#chain;
    chain.retain(id, (link) => {
      if (!isEnded(link)) return true;
      const held = chain.held(link);
      if (this.#replicas.isAlive(chain.replica(link))) this.#fields.addToCount(id, OTHERS, -held);
      return false;
    });
  }

  #ownHeld(id: number): number {
    return this.#fields.count(id, HITS) - this.#fields.count(id, RELEASES);
  }
}
