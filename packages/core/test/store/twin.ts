/**
 * One replica twice: its real store, and the reference with the same input.
 *
 * Replicas are named by ids here, and keys by small numbers, so that what one twin sends can be
 * delivered to any other. Whatever the real store answers is compared with the reference at once.
 */

import { type Receipt, type ReferenceComponent, ReferenceStore } from "@tidegate/testkit";
import { expect } from "vitest";
import type { Component } from "../../src/crdt/component.ts";
import type { Note } from "../../src/store/marks/notes.ts";
import { Replicas } from "../../src/store/replicas/replicas.ts";
import type { Rule } from "../../src/store/shapes/make-rule.ts";
import { Store } from "../../src/store/store.ts";
import { NO_RECORD, type RecordId } from "../../src/store/table/record-id.ts";
import { expectEqual, expectSame } from "../quick-expectation.ts";
import { sorted } from "./agreement.ts";
import { showChanges } from "./changes.ts";
import { highOf, keyOf, lowOf, type ShapeCase } from "./shape-cases.ts";

/** No note is ever let go of: the reference keeps them for good. */
const KEEP_MS = 1e15;

/** What one replica sends: own components, and the resets and marks it knows. */
export interface Sent {
  readonly from: string;
  readonly components: readonly ReferenceComponent[];
  readonly notes: readonly Pick<Note, "low" | "high" | "reset" | "markReset" | "marks">[];
  readonly resetAll: number;
}

/** A hit as both remember it. */
export interface Remembered {
  readonly key: number;
  readonly tickets: readonly number[];
  readonly receipt: Receipt;
}

export class Twin {
  readonly id: string;
  readonly store: Store;
  readonly reference: ReferenceStore;
  readonly replicas: Replicas;
  readonly rules: readonly Rule[];
  readonly hits: Remembered[] = [];
  /** Whether the cluster's time has been taken back. */
  isSetBack = false;
  readonly shapeCase: ShapeCase;
  readonly #offsetOf: (replica: string) => number;
  readonly #evicted: ReferenceComponent[] = [];

  /** @param offsetOf what this replica believes another's clock is behind by */
  constructor(id: string, shapeCase: ShapeCase, offsetOf: (replica: string) => number) {
    this.id = id;
    this.shapeCase = shapeCase;
    this.#offsetOf = offsetOf;
    this.reference = new ReferenceStore(id, shapeCase.reference);
    this.replicas = new Replicas(id);
    const sections = shapeCase.sections();
    this.store = new Store(sections, {
      replicas: this.replicas,
      ...{ keysMax: 1_000, keepMs: KEEP_MS, seed: 7 },
      evicted: (component) => this.#evicted.push(this.#named(component)) > 0,
    });
    this.rules = sections.map((section, policy) => section.rule(this.store.shapes[policy]!));
  }

  advance(now: number, clusterNow: number): void {
    this.store.advance(now, clusterNow);
    this.reference.advance(now, clusterNow);
    expectSame(this.store.now, this.reference.now);
    expectSame(this.store.clusterNow, this.reference.clusterNow);
  }

  /** Reads keys: the real store does now what it may put off. */
  look(keys: readonly number[]): void {
    for (const key of keys) this.#readAll(key, this.find(key));
  }

  hit(key: number, cost: number): void {
    const { store, rules } = this;
    let id = NO_RECORD;
    this.#doing(key, () => {
      id = store.find(lowOf(key), highOf(key)) || store.insert(lowOf(key), highOf(key));
    });
    this.#readAll(key, id);
    store.changed(id);
    for (const rule of rules) rule.add(id, cost);
    const tie = store.ticketTie(id, lowOf(key));
    const tickets = rules.map((rule) => (rule.ticket(id) + tie) | 0);
    const costs = rules.map(() => cost);
    this.hits.push({ key, tickets, receipt: this.reference.hit(String(key), costs) });
  }

  refuse(key: number): void {
    const id = this.find(key);
    this.shapeCase.refusing.forEach((policy) => {
      if (id === NO_RECORD) return;
      this.#readAll(key, id);
      this.rules[policy]!.refuse(id);
      if (this.reference.view(String(key), policy).endsAt !== 0) this.store.changed(id);
      this.reference.refuse(String(key), policy);
    });
  }

  refund({ key, tickets, receipt }: Remembered, cost: number): void {
    const id = this.find(key);
    const { now, clusterNow } = this.store;
    const tie = this.store.ticketTie(id, lowOf(key));
    const given = this.rules.map((rule, policy) =>
      id === NO_RECORD
        ? 0
        : rule.refund(id, (tickets[policy]! - tie) | 0, cost, now, clusterNow, true),
    );
    if (given.some((hits) => hits > 0)) this.store.changed(id);
    const expected = this.reference.refund(String(key), receipt, cost);
    if (id !== NO_RECORD) expectEqual(given, expected, "hits given back");
  }

  release(key: number, cost: number): void {
    const id = this.find(key);
    if (id === NO_RECORD) return;
    const given = this.rules.map((rule) => rule.releasePermits?.(id, cost) ?? 0);
    if (given.some((hits) => hits > 0)) this.store.changed(id);
    expectEqual(given, this.reference.release(String(key), cost), "released");
  }

  reset(key: number): void {
    this.store.reset(lowOf(key), highOf(key));
    this.reference.reset(String(key));
  }

  resetAll(): void {
    this.store.resetAll();
    this.reference.resetAll();
  }

  mark(key: number, kind: number, forMs: number, limit: number): void {
    this.store.mark(lowOf(key), highOf(key), kind, this.store.clusterNow + forMs, limit);
    this.reference.mark(String(key), kind, this.reference.clusterNow + forMs, limit);
  }

  unmark(key: number): void {
    this.store.unmark(lowOf(key), highOf(key));
    this.reference.unmark(String(key));
  }

  evict(key: number): void {
    const id = this.find(key);
    if (id === NO_RECORD) return;
    const name = String(key);
    const isOver = this.reference.isOver(name);
    const own = this.reference.emit().filter((component) => component.key === name);
    this.#evicted.length = 0;
    expect(this.store.evict(id), "evicts").toBe(!this.reference.isHeld(name));
    if (this.reference.isHeld(name)) return;
    // What is over may be handed over: a release that others have yet to hear of.
    const isSilent = isOver && this.#evicted.length === 0;
    expect(sorted(this.#evicted), "handed over").toEqual(isSilent ? [] : sorted(own));
    this.reference.forget(name);
  }

  sweep(budget: number): void {
    this.#doing(-1, () => this.store.sweep(budget));
  }

  setAlive(replica: string, isAlive: boolean): void {
    this.replicas.setAlive(this.#hear(replica), isAlive);
    this.reference.replicas.setAlive(replica, isAlive);
  }

  drop(replica: string): void {
    this.replicas.drop(this.#hear(replica));
    this.reference.drop(replica);
  }

  /** Own components and notes changed after a frame, from the real store. */
  send(frame = 0): Sent {
    const components: ReferenceComponent[] = [];
    const notes: Sent["notes"][number][] = [];
    showChanges(
      this.store,
      frame,
      (component) => components.push(this.#named(component)),
      (note) => notes.push({ ...note, marks: [...note.marks] }),
    );
    return { from: this.id, components, notes, resetAll: this.store.resets.allSince(frame) };
  }

  /** Joins one component of another replica; returns whether it said anything new. */
  join(component: ReferenceComponent): boolean {
    const key = Number(component.key);
    let isNew = false;
    const numbered = this.numbered(component);
    this.#doing(key, () => {
      isNew = this.store.join(numbered);
    });
    const expected = this.reference.join(component);
    if (this.shapeCase.reference[component.policy]!.shape !== "log") {
      if (isNew !== expected) expect(isNew, `${JSON.stringify(component)} is news`).toBe(expected);
    }
    return isNew;
  }

  joinNotes({ notes, resetAll }: Sent): void {
    this.store.resets.joinAll(resetAll);
    this.reference.joinResetAll(resetAll);
    for (const { low, high, reset, markReset, marks } of notes) {
      const name = String(keyOf(low));
      this.store.resets.join(low, high, reset);
      this.reference.joinReset(name, reset);
      this.store.resets.joinMarkReset(low, high, markReset);
      this.reference.joinMarkReset(name, markReset);
      marks.forEach((mark, kind) => {
        if (mark === undefined) return;
        this.store.resets.joinMark(low, high, kind, mark);
        this.reference.notes.joinMark(name, kind, mark);
      });
    }
  }

  /** A component as this replica's store names replicas and keys. */
  numbered(component: ReferenceComponent): Component {
    const key = Number(component.key);
    const replica = this.#hear(component.replica);
    const opener = this.#hear(component.opener);
    return { ...component, low: lowOf(key), high: highOf(key), replica, opener };
  }

  #readAll(key: number, id: RecordId): void {
    const { now, clusterNow } = this.store;
    for (const rule of this.rules) rule.read(id, now, clusterNow, lowOf(key));
  }

  find(key: number): RecordId {
    return this.store.find(lowOf(key), highOf(key));
  }

  /** Does something that may add `key` and let go of others, which the reference is then told. */
  #doing(key: number, change: () => void): void {
    const { store, reference } = this;
    const before = store.size;
    const isKnown = key >= 0 && this.find(key) !== NO_RECORD;
    change();
    const isAdded = key >= 0 && !isKnown && this.find(key) !== NO_RECORD;
    if (store.size === before + (isAdded ? 1 : 0)) return;
    for (const name of reference.keys()) {
      if (name === String(key) || this.find(Number(name)) !== NO_RECORD) continue;
      expect(reference.isOver(name), `key ${name} may be let go of`).toBe(true);
      reference.forget(name);
    }
  }

  #hear(replica: string): number {
    const index = this.replicas.indexOf(replica);
    this.replicas.setOffset(index, this.#offsetOf(replica));
    this.reference.replicas.hear(replica, this.#offsetOf(replica));
    return index;
  }

  #named(component: Readonly<Component>): ReferenceComponent {
    const { low, policy, generation, reset, period, hits, refunds, refusals } = component;
    const replica = this.replicas.idOf(component.replica);
    const opener = this.replicas.idOf(component.opener);
    const counts = { hits, refunds, refusals };
    return {
      key: String(keyOf(low)),
      policy,
      replica,
      generation,
      reset,
      opener,
      period,
      ...counts,
    };
  }
}
