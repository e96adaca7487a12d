/**
 * Real stores that deliver to each other by hand, for tests that go through one case.
 */

import type { Component } from "../../src/crdt/component.ts";
import type { Policy } from "../../src/policies/policy.ts";
import type { Note } from "../../src/store/marks/notes.ts";
import { Replicas } from "../../src/store/replicas/replicas.ts";
import type { Rule } from "../../src/store/shapes/make-rule.ts";
import { makeRule } from "../../src/store/shapes/make-rule.ts";
import type { Announcer } from "../../src/store/store.ts";
import { Store, type StoreOptions } from "../../src/store/store.ts";
import { NO_RECORD, type RecordId } from "../../src/store/table/record-id.ts";
import { showChanges } from "./changes.ts";

export const START_MS = 1_790_000_000_000;

/** A component with its replicas by id, on its way from one store to others. */
export type Carried = Omit<Component, "replica" | "opener"> & {
  readonly replica: string;
  readonly opener: string;
};

export interface MemberOptions {
  readonly keysMax?: number;
  /** Takes what is given up under pressure; false when it cannot. */
  readonly evicted?: (component: Readonly<Component>, by: Member) => boolean;
  /** Is told what other replicas have yet to hear. */
  readonly announcer?: Announcer;
  /** Ids by place in the fleet, where they are not to be `replica-<place>`. */
  readonly names?: readonly string[];
  /** How far its clock is from true time. */
  readonly clockMs?: number;
}

/** One replica with its store; keys are small numbers. */
export class Member {
  readonly id: string;
  readonly store: Store;
  readonly replicas: Replicas;
  readonly rules: readonly Rule[];
  readonly clockMs: number;
  readonly #tickets = new Map<number, readonly number[]>();

  constructor(id: string, policies: readonly Policy[], options: MemberOptions = {}) {
    const { keysMax = 1_000, evicted, announcer, clockMs = 0 } = options;
    this.id = id;
    this.clockMs = clockMs;
    this.replicas = new Replicas(id);
    const sections = policies.map((policy) => makeRule(policy, true));
    const sink: Pick<StoreOptions, "evicted"> =
      evicted === undefined ? {} : { evicted: (component) => evicted(component, this) };
    const bounds = { keysMax, keepMs: 100_000, seed: 11 };
    this.store = new Store(sections, { replicas: this.replicas, ...bounds, ...sink, announcer });
    this.rules = sections.map((section, policy) => section.rule(this.store.shapes[policy]!));
    this.at(START_MS);
  }

  /** Tells it the true time, and perhaps another time of the cluster. */
  at(trueMs: number, clusterMs: number = trueMs): this {
    this.store.advance(trueMs + this.clockMs, clusterMs);
    return this;
  }

  /** Counts a hit; false when there was no room. */
  hit(key: number, cost = 1): boolean {
    const { store } = this;
    const id = store.find(key, ~key) || store.insert(key, ~key);
    if (id === NO_RECORD) return false;
    this.#readAll(key, id);
    store.changed(id);
    for (const rule of this.rules) rule.add(id, cost);
    const tie = store.ticketTie(id, key);
    this.#tickets.set(
      key,
      this.rules.map((rule) => (rule.ticket(id) + tie) | 0),
    );
    return true;
  }

  /** Gives back some of the last hit of a key. */
  refund(key: number, cost = 1): void {
    const { now, clusterNow } = this.store;
    const id = this.store.find(key, ~key);
    const tickets = this.#tickets.get(key);
    if (id === NO_RECORD || tickets === undefined) return;
    const tie = this.store.ticketTie(id, key);
    const given = this.rules.map((rule, policy) =>
      rule.refund(id, (tickets[policy]! - tie) | 0, cost, now, clusterNow, true),
    );
    if (given.some((hits) => hits > 0)) this.store.changed(id);
  }

  release(key: number, cost = 1): void {
    const id = this.store.find(key, ~key);
    if (id === NO_RECORD) return;
    for (const rule of this.rules) rule.releasePermits?.(id, cost);
    this.store.changed(id);
  }

  refuse(key: number): void {
    this.store.setRefused(this.store.find(key, ~key));
  }

  /** What a policy holds against a key now, in its own units. */
  held(key: number, policy = 0): number {
    this.#readAll(key, this.store.find(key, ~key));
    return this.rules[policy]!.usedUnits;
  }

  /** All that can be seen of a key, now. */
  view(key: number): number[] {
    this.#readAll(key, this.store.find(key, ~key));
    return this.rules.flatMap((rule) => [rule.usedUnits, rule.msUntilEmptyAfter(1)]);
  }

  knows(key: number): boolean {
    return this.store.find(key, ~key) !== NO_RECORD;
  }

  reset(key: number): number {
    return this.store.reset(key, ~key);
  }

  evict(key: number): boolean {
    return this.store.evict(this.store.find(key, ~key));
  }

  /** Own components changed after a frame. */
  sent(frame = 0): Carried[] {
    const sent: Carried[] = [];
    const component = (shown: Readonly<Component>): void => {
      sent.push(this.carried(shown));
    };
    showChanges(this.store, frame, component);
    return sent;
  }

  notes(frame = 0): Note[] {
    return Array.from(this.store.notes.changedSince(frame), (note) => ({ ...note }));
  }

  carried(component: Readonly<Component>): Carried {
    const replica = this.replicas.idOf(component.replica);
    return { ...component, replica, opener: this.replicas.idOf(component.opener) };
  }

  join(component: Carried): boolean {
    const replica = this.replicas.indexOf(component.replica);
    return this.store.join({
      ...component,
      replica,
      opener: this.replicas.indexOf(component.opener),
    });
  }

  joinAll(components: readonly Carried[]): void {
    for (const component of components) this.join(component);
  }

  #readAll(key: number, id: RecordId): void {
    const { now, clusterNow } = this.store;
    for (const rule of this.rules) rule.read(id, now, clusterNow, key);
  }
}

/** Members that know how far each other's clocks are off. */
export function fleet(
  clocksMs: readonly number[],
  policies: readonly Policy[],
  options: MemberOptions = {},
): Member[] {
  const members = clocksMs.map(
    (clockMs, index) =>
      new Member(options.names?.[index] ?? `replica-${index}`, policies, { ...options, clockMs }),
  );
  for (const member of members) {
    for (const other of members) {
      if (other === member) continue;
      const index = member.replicas.indexOf(other.id);
      member.replicas.setOffset(index, member.clockMs - other.clockMs);
    }
  }
  return members;
}

/** Delivers what each publishes to all others. */
export function meet(members: readonly Member[]): void {
  const sent = members.map((member) => member.sent());
  const notes = members.map((member) => member.notes());
  members.forEach((member, index) => {
    member.joinAll(sent.filter((_, from) => from !== index).flat());
    for (const { low, high, reset } of notes.flat()) member.store.resets.join(low, high, reset);
    for (const other of members) member.store.resets.joinAll(other.store.versions.limiterReset);
  });
}
