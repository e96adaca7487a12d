/**
 * Several replicas of one limiter in one process, each with a store, rules and clock of its own.
 *
 * They know of each other only what a store shows to the outside: components of what changed since
 * a frame, and components about to be evicted. These travel under ids, all of one delay, and are
 * merged by all others. The caller gives the time in whole milliseconds and never goes back.
 */

import { seededRandom } from "@tidegate/testkit";
import type { Component } from "../../src/crdt/component.ts";
import { Decider } from "../../src/limiter/decider.ts";
import type { Policy } from "../../src/policies/policy.ts";
import { Replicas } from "../../src/store/replicas/replicas.ts";
import { makeRule } from "../../src/store/shapes/make-rule.ts";
import { Store } from "../../src/store/store.ts";
import { NO_RECORD } from "../../src/store/table/record-id.ts";
import { showChanges } from "../store/changes.ts";

/** Clocks of replicas differ by up to this, as those of machines started at different times do. */
const CLOCK_BASE_MS_MAX = 3_600_000;
const KEYS_MAX_DEFAULT = 64;

/** A key as stores know it. */
export interface FleetKey {
  readonly low: number;
  readonly high: number;
}

export interface FleetOptions {
  readonly policy: Policy;
  readonly replicas: number;
  readonly seed: number;
  readonly keysMax?: number | undefined;
  /** How long what is sent is on its way; 0 joins it before anything else happens. */
  readonly delayMs?: number | undefined;
  /** How often a replica sends what has changed; 0 for after each hit. */
  readonly flushMs?: number | undefined;
  /** How far, either way, each replica is off in what it believes of others' and the cluster's time. */
  readonly clockErrorMs?: number | undefined;
  /** Whether anything sent arrives at all. */
  readonly isConnected?: boolean | undefined;
}

interface Member {
  readonly store: Store;
  readonly decider: Decider;
  /** The numbers by which it knows the others, by their place in the fleet. */
  readonly indexes: readonly number[];
  /** The places in the fleet of those it knows by a number. */
  readonly places: readonly number[];
  readonly clockBaseMs: number;
  readonly clusterErrorMs: number;
  /** The newest slot or time that was sent of each key, by the low half of its fingerprint. */
  readonly sentPeriods: Map<number, number>;
  sentFrame: number;
  flushAt: number;
}

interface Sent {
  readonly dueAt: number;
  readonly from: number;
  /** Replica and opener are places in the fleet. */
  readonly component: Component;
}

export class Fleet {
  readonly size: number;
  /** Components that were sent. */
  sent = 0;

  readonly #members: readonly Member[];
  readonly #delayMs: number;
  readonly #flushMs: number;
  readonly #isConnected: boolean;
  /** Whether places of one key follow each other, so that only the newest changes. */
  readonly #isSequence: boolean;
  /** How long ago the place lies that a log is counted from. */
  readonly #baseMs: number;
  readonly #underWay: Sent[] = [];
  #arrived = 0;
  #now: number;

  constructor(options: FleetOptions, startMs: number) {
    const { policy, replicas, seed, keysMax = KEYS_MAX_DEFAULT, clockErrorMs = 0 } = options;
    const random = seededRandom(seed);
    const within = (bound: number): number => Math.floor(random() * (2 * bound + 1)) - bound;
    this.size = replicas;
    this.#delayMs = options.delayMs ?? 0;
    this.#flushMs = options.flushMs ?? 0;
    this.#isConnected = options.isConnected ?? true;
    this.#isSequence = policy.kind !== "fixedWindow";
    this.#baseMs = policy.kind === "slidingLog" ? policy.windowMs : Number.POSITIVE_INFINITY;
    this.#now = startMs;

    const ids = Array.from({ length: replicas }, (_, place) => `replica-${place}`);
    const bases = ids.map(() => within(CLOCK_BASE_MS_MAX));
    this.#members = ids.map((self, place) => {
      const registry = new Replicas(self);
      const indexes = ids.map((id) => registry.indexOf(id));
      const places: number[] = [];
      for (const [other, index] of indexes.entries()) {
        places[index] = other;
        registry.setOffset(index, bases[place]! - bases[other]! + within(clockErrorMs));
      }
      const section = makeRule(policy, true);
      const store = new Store([section], {
        replicas: registry,
        keysMax,
        keepMs: 120_000,
        seed: Math.floor(random() * 2 ** 32) | 0,
        evicted: (component) => this.#send(place, component),
      });
      return {
        store,
        decider: new Decider(store, [section.rule(store.shapes[0]!)], [policy]),
        indexes,
        places,
        clockBaseMs: bases[place]!,
        clusterErrorMs: within(clockErrorMs),
        sentPeriods: new Map(),
        sentFrame: 0,
        flushAt: Number.POSITIVE_INFINITY,
      };
    });
  }

  /** Lets time pass, and with it what is under way arrive. */
  advanceTo(nowMs: number): void {
    if (this.#flushMs > 0) this.#flushUntil(nowMs);
    this.#deliverUntil(nowMs);
    this.#now = nowMs;
  }

  /** Asks one replica whether a hit may pass, which counts it if it may. */
  check(place: number, key: FleetKey): boolean {
    const member = this.#awake(place);
    const { allowed } = member.decider.decide("check", key.low, key.high, 1, undefined);
    if (allowed) this.#changed(place);
    return allowed;
  }

  /** How many hits of a key one replica knows of. */
  used(place: number, key: FleetKey): number {
    return this.#awake(place).decider.decide("peek", key.low, key.high, 0, undefined).used;
  }

  /** Makes one replica give up a key; returns whether it had it. */
  evict(place: number, key: FleetKey): boolean {
    const { store } = this.#awake(place);
    const id = store.find(key.low, key.high);
    const isGone = id !== NO_RECORD && store.evict(id);
    this.#deliverUntil(this.#now);
    return isGone;
  }

  /** Whether one replica knows anything of a key. */
  knows(place: number, key: FleetKey): boolean {
    return this.#awake(place).store.find(key.low, key.high) !== NO_RECORD;
  }

  /** Records given up while they counted: of this replica's own, and of those the refused ones. */
  evictions(): { live: number; refused: number; foreign: number; uncounted: number } {
    const sum = { live: 0, refused: 0, foreign: 0, uncounted: 0 };
    for (const { store } of this.#members) {
      sum.live += store.evictions.live;
      sum.refused += store.evictions.refused;
      sum.foreign += store.evictions.foreign;
      sum.uncounted += store.evictions.uncounted;
    }
    return sum;
  }

  /** A replica whose store has been told what time it is. */
  #awake(place: number): Member {
    const member = this.#members[place]!;
    member.store.advance(this.#now + member.clockBaseMs, this.#now + member.clusterErrorMs);
    return member;
  }

  #changed(place: number): void {
    const member = this.#members[place]!;
    if (this.#flushMs === 0) {
      this.#publish(place);
      this.#deliverUntil(this.#now);
    } else if (member.flushAt === Number.POSITIVE_INFINITY) {
      // Replicas flush in turns, each at the same moment of every period.
      const phase = Math.floor((place * this.#flushMs) / this.size);
      const passed = (((this.#now - phase) % this.#flushMs) + this.#flushMs) % this.#flushMs;
      member.flushAt = this.#now - passed + this.#flushMs;
    }
  }

  #flushUntil(nowMs: number): void {
    for (;;) {
      let first = 0;
      for (let place = 1; place < this.size; place++) {
        if (this.#members[place]!.flushAt < this.#members[first]!.flushAt) first = place;
      }
      const member = this.#members[first]!;
      if (member.flushAt > nowMs) return;
      this.#deliverUntil(member.flushAt);
      this.#now = member.flushAt;
      member.flushAt = Number.POSITIVE_INFINITY;
      this.#publish(first);
    }
  }

  /**
   * Sends what has changed since the last time. Of times and slots, which change only while they are
   * the newest, that is the newest and what they are counted from.
   */
  #publish(place: number): void {
    const member = this.#awake(place);
    const { store, sentPeriods } = member;
    showChanges(store, member.sentFrame, (component) => {
      if (this.#isSequence && component.period > store.now - this.#baseMs) {
        if (component.period < (sentPeriods.get(component.low) ?? 0)) return;
        sentPeriods.set(component.low, component.period);
      }
      this.#send(place, component);
    });
    member.sentFrame = store.closeFrame();
  }

  #send(from: number, component: Readonly<Component>): boolean {
    if (!this.#isConnected) return false;
    const { places } = this.#members[from]!;
    const replica = places[component.replica]!;
    const opener = places[component.opener]!;
    this.sent++;
    const dueAt = this.#now + this.#delayMs;
    this.#underWay.push({ dueAt, from, component: { ...component, replica, opener } });
    return true;
  }

  /** Joins what is due by `nowMs`; what that makes stores give up joins the queue. */
  #deliverUntil(nowMs: number): void {
    const underWay = this.#underWay;
    while (this.#arrived < underWay.length && underWay[this.#arrived]!.dueAt <= nowMs) {
      const { dueAt, from, component } = underWay[this.#arrived++]!;
      this.#now = Math.max(this.#now, dueAt);
      const { replica, opener } = component;
      for (let place = 0; place < this.size; place++) {
        if (place === from) continue;
        const { store, indexes } = this.#awake(place);
        component.replica = indexes[replica]!;
        component.opener = indexes[opener]!;
        store.join(component);
      }
    }
    if (this.#arrived === underWay.length) {
      underWay.length = 0;
      this.#arrived = 0;
    }
  }
}
