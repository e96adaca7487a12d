/**
 * What is held right now, such as requests in flight: no place, and no end but a release.
 *
 * A gauge counts while its replica is alive. Hits and releases are both kept, because each only
 * grows; their difference is what is held. A record that holds something of this replica's own is
 * never given up, since a release is still to come; so a later generation ends those before it. After
 * the last release it is kept for a while in a cluster: who has missed it is told again.
 *
 * Who misses it for longer is told all that is held, and ends what was not in that: each component of
 * another replica remembers the frame it was last heard in. One that is released is kept for as long as
 * an older frame could still come that was not heard.
 *
 *     | hits | releases | chain | others | idle since |
 */

import type { Component } from "../../../crdt/component.ts";
import { type Replicas, SELF } from "../../replicas/replicas.ts";
import type { ComponentVisitor, Shape, Timing } from "../../table/entry.ts";
import { RecordFields } from "../../table/record-fields.ts";
import type { RecordPool } from "../../table/record-pool.ts";
import { ComponentChain } from "../component-chain.ts";

const HITS = 0;
const RELEASES = 1;
const CHAIN = 2;
const OTHERS = 3;
const IDLE_SINCE = 4;

/** How long a release can be repeated by itself. */
const RELEASES_KEPT_MS = 60_000;

/** Words that the shape takes in a record. */
export const GAUGE_SHAPE_WORDS: number = IDLE_SINCE + 1;

export class GaugeShape implements Shape {
  readonly words: number = GAUGE_SHAPE_WORDS;
  readonly places = "none";
  readonly placeless = true;
  readonly endsWithReset = false;

  /** What the last `read` saw: everything held by replicas alive. */
  held = 0;

  readonly #fields: RecordFields;
  readonly #replicas: Replicas;
  readonly #chain: ComponentChain;

  readonly #shared: boolean;

  /** @param shared whether others are told, whoever of them is heard just now */
  constructor(records: RecordPool, replicas: Replicas, base: number, shared: boolean) {
    this.#shared = shared;
    this.#fields = new RecordFields(records, base);
    this.#replicas = replicas;
    this.#chain = new ComponentChain(records, base + CHAIN, "refunds");
  }

  begin(): void {}

  /** Sums up what is held; record 0 reads as a key never seen. */
  read(id: number): void {
    this.held = id === 0 ? 0 : this.#ownHeld(id) + this.#fields.count(id, OTHERS);
  }

  add(id: number, cost: number): void {
    this.#fields.addToCount(id, HITS, cost);
    this.#fields.setWord(id, IDLE_SINCE, 0);
  }

  /** Takes back what this replica holds; returns how much it did hold of `cost`. */
  give(id: number, cost: number): number {
    const given = Math.min(cost, this.#ownHeld(id));
    this.#fields.addToCount(id, RELEASES, given);
    return given;
  }

  refresh(id: number): void {
    let others = 0;
    let before = 0;
    const chain = this.#chain;
    for (let link = chain.first(id); link !== 0; ) {
      const next = chain.next(link);
      const replica = chain.replica(link);
      if (this.#isOver(replica, chain.place(link))) {
        chain.remove(id, link, before);
      } else {
        before = link;
        if (this.#replicas.isAlive(replica)) others += chain.hits(link) - chain.refunds(link);
      }
      link = next;
    }
    this.#fields.setCount(id, OTHERS, others);
  }

  /** A reset ends counts, and what is held is not a count. */
  wipe(): void {}

  release(id: number): void {
    this.#chain.clear(id);
  }

  releaseAll(): void {
    this.#chain.clearAll();
  }

  /** What a silent replica holds does not count, but will again when that replica is heard. */
  isExpired(id: number, now: number): boolean {
    if (this.#ownHeld(id) !== 0 || this.#fields.count(id, OTHERS) !== 0) return false;
    const chain = this.#chain;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      if (chain.hits(link) > chain.refunds(link)) return false;
      if (chain.place(link) > this.#replicas.heardUpTo(chain.replica(link))) return false;
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
    const { replica, generation, place } = component;
    const chain = this.#chain;
    if (this.#isOver(replica, place)) return false;
    let link = this.#latest(id, replica, generation);
    if (link === undefined) return false;
    if (link === 0) link = chain.add(id, replica, generation, SELF, place);
    if (link === 0) return undefined;
    if (place > chain.place(link)) chain.setPlace(link, place);
    const held = chain.hits(link) - chain.refunds(link);
    const grew = chain.raise(link, component.hits, component.refunds, 0);
    if (grew) this.#fields.setWord(id, IDLE_SINCE, 0);
    if (grew && this.#replicas.isAlive(replica)) {
      this.#fields.addToCount(id, OTHERS, chain.hits(link) - chain.refunds(link) - held);
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
    component.place = 0;
    component.hits = hits;
    component.refunds = this.#fields.count(id, RELEASES);
    component.refusals = 0;
    visit(component);
  }

  /** What a replica held ends with it, and who is only silent says itself what it holds. */
  emitHeard(): void {}

  refersTo(id: number, mark: (replica: number) => void): void {
    const chain = this.#chain;
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) mark(chain.replica(link));
  }

  /** Whether what a replica said in a frame is not held any more, as later ones did not repeat it. */
  #isOver(replica: number, frame: number): boolean {
    return this.#replicas.isDropped(replica) || frame < this.#replicas.heldSince(replica);
  }

  /**
   * The component of a replica's generation, or 0; undefined if a later one is known. Ends what it held
   * in earlier ones: nothing is given up that holds something, so whoever begins anew has released all,
   * whether that was heard or not.
   */
  #latest(id: number, replica: number, generation: number): number | undefined {
    const chain = this.#chain;
    let latest = 0;
    let before = 0;
    for (let link = chain.first(id); link !== 0; ) {
      const next = chain.next(link);
      const isOfSame = chain.replica(link) === replica;
      const laterBy = (generation - chain.generation(link)) | 0;
      if (isOfSame && laterBy < 0) return undefined;
      if (isOfSame && laterBy === 0) latest = link;
      if (isOfSame && laterBy > 0) this.#end(id, link, before);
      else before = link;
      link = next;
    }
    return latest;
  }

  /** Ends what was told under ids that were given up, where it is told under the next ones. */
  #endFormerIds(id: number): void {
    const chain = this.#chain;
    const ended = new Map<number, number>();
    for (let link = chain.first(id); link !== 0; link = chain.next(link)) {
      const former = this.#replicas.formers.of(chain.replica(link));
      if (former !== undefined) ended.set(former.replica, former.upTo);
    }
    if (ended.size === 0) return;
    let before = 0;
    for (let link = chain.first(id); link !== 0; ) {
      const next = chain.next(link);
      if (chain.place(link) <= (ended.get(chain.replica(link)) ?? -1)) this.#end(id, link, before);
      else before = link;
      link = next;
    }
  }

  #end(id: number, link: number, before: number): void {
    const chain = this.#chain;
    const held = chain.hits(link) - chain.refunds(link);
    if (this.#replicas.isAlive(chain.replica(link))) this.#fields.addToCount(id, OTHERS, -held);
    chain.remove(id, link, before);
  }

  #ownHeld(id: number): number {
    return this.#fields.count(id, HITS) - this.#fields.count(id, RELEASES);
  }
}
