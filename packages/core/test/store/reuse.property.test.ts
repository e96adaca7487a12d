/**
 * A number that is given out again brings nothing of its former owner along.
 *
 * Records, all that lies beside them, places among pending records and numbers of replicas are given out
 * again as soon as they are free. Here few keys and few replicas come and go all the time. Each history
 * runs twice: as it is, and with no number ever given out again. All answers must be the same.
 */

import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, it } from "vitest";
import { tokenBucket } from "../../src/policies/bucket.ts";
import { concurrency } from "../../src/policies/concurrency.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import type { Policy } from "../../src/policies/policy.ts";
import { slidingLog } from "../../src/policies/sliding-log.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import { FRAME, REFUSED, STATE } from "../../src/store/table/entry.ts";
import { NO_RECORD, numberOf } from "../../src/store/table/record-id.ts";
import { expectEqual } from "../quick-expectation.ts";
import { type Carried, Member, START_MS } from "./fleet.ts";
import { withoutReuse } from "./without-reuse.ts";

/** All of one place in the table of keys found lately. */
const KEYS = [1, 257, 513, 769];
/** Records that are kept: the other keys take over their numbers. */
const KEYS_KEPT = 2;
const WRITERS = 2;
const LIMIT = 10;
/** Of a count that lies in a side table. */
const WIDE_COST = 2 ** 40;
const ban = { after: 3, forMs: 500 };
const windowMs = 1_000;

const cases: [string, Policy][] = [
  ["windows", fixedWindow({ limit: LIMIT, windowMs, ban })],
  ["aligned windows", fixedWindow({ limit: LIMIT, windowMs, align: true, ban })],
  ["slots", slidingWindow({ limit: LIMIT, windowMs, slots: 5 })],
  ["buckets", tokenBucket({ capacity: LIMIT, refillPerSecond: 10 })],
  ["logs", slidingLog({ limit: LIMIT, windowMs })],
  ["permits", concurrency({ limit: LIMIT })],
];

const ACTS = [
  ...["hit", "hit", "hit", "hit", "hear", "hear", "hear", "hear", "hear", "refund", "refund"],
  ...["release", "refuse", "evict", "replace", "reclaim", "flush", "reset", "resetAll"],
] as const;

interface Step {
  readonly act: (typeof ACTS)[number];
  readonly key: number;
  readonly amount: number;
  readonly writer: number;
  readonly passesMs: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(...ACTS),
  key: fc.constantFrom(...KEYS),
  amount: fc.integer({ min: 1, max: 5 }),
  writer: fc.nat(WRITERS - 1),
  passesMs: fc.oneof(
    { weight: 12, arbitrary: fc.constant(0) },
    { weight: 6, arbitrary: fc.nat(300) },
    { weight: 1, arbitrary: fc.constant(61_000) },
  ),
});

/** A replica that merges others' counts and publishes its own to a listener. */
class World {
  /** All that could be seen so far. */
  readonly seen: unknown[] = [];
  readonly #policies: readonly Policy[];
  readonly #replica: Member;
  readonly #listener: Member;
  readonly #writers: Member[] = [];
  #started = 0;
  #nowMs = START_MS;
  /** The next place of the closed frame to settle, and the frame before that one. */
  #place = 0;
  #since = 0;

  constructor(policy: Policy) {
    this.#policies = [policy];
    this.#listener = new Member("listener", this.#policies);
    this.#replica = new Member("replica", this.#policies, {
      evicted: (component, by) => this.#listener.join(by.carried(component)) || true,
      announcer: {
        began: () => {},
        counted: (_now, untold, ceiling, used) => this.seen.push({ untold, ceiling, used }),
        urgent: () => {},
      },
    });
    for (let writer = 0; writer < WRITERS; writer++) this.#start(writer);
  }

  take(step: Step): void {
    // What is told too late does not count any more.
    if (step.passesMs > 0) this.#tellAll();
    this.#nowMs += step.passesMs;
    for (const member of [this.#replica, this.#listener, ...this.#writers]) member.at(this.#nowMs);
    this.#sweep();
    this.#do(step);
    this.#sweep();
    for (const key of KEYS) {
      if (this.#replica.store.size > KEYS_KEPT && key !== step.key) this.#evict(key);
    }
    this.#look();
  }

  /** Tells the listener all; what it knows in the end is seen as well. */
  end(): void {
    this.#tellAll();
    this.seen.push(KEYS.map((key) => this.#listener.view(key)));
  }

  #do({ act, key, amount, writer }: Step): void {
    const replica = this.#replica;
    const { store, replicas } = replica;
    if (act === "hit") this.#hit(key, amount === 5 ? WIDE_COST : amount);
    if (act === "hear") this.#hear(this.#writers[writer]!, key, amount);
    if (act === "refund") replica.refund(key, amount);
    if (act === "release") replica.release(key, amount);
    if (act === "refuse") this.#refuse(key);
    if (act === "reset") replica.reset(key);
    if (act === "resetAll" && amount === 1) store.resetAll();
    if (act === "evict") this.#evict(key);
    if (act === "flush") {
      this.#settle(Number.POSITIVE_INFINITY);
      this.#close();
      this.#settle(amount - 1);
    }
    if (act === "reclaim") this.#reclaim();
    if (act === "replace") {
      replicas.drop(replicas.indexOf(this.#writers[writer]!.id));
      // Nothing of it has been looked at since.
      if (amount > 2) this.#reclaim();
      this.#start(writer);
    }
  }

  #reclaim(): void {
    const { store, replicas } = this.#replica;
    const isThere = (id: string): boolean => this.#writers.some((writer) => writer.id === id);
    const spare = new Set(replicas.spare(isThere));
    Array.from(store.refersTo((index) => spare.delete(index)));
    replicas.reclaim(spare);
  }

  #start(writer: number): void {
    const member = new Member(`writer ${this.#started++}`, this.#policies);
    this.#writers[writer] = member.at(this.#nowMs);
    this.#replica.replicas.indexOf(member.id);
  }

  #hit(key: number, cost: number): void {
    const replica = this.#replica;
    const { records, unsent, now } = replica.store;
    replica.hit(key, cost);
    const word = records.word(numberOf(replica.store.find(key, ~key)), FRAME);
    unsent?.counted(word, cost, LIMIT, replica.held(key), now);
  }

  #refuse(key: number): void {
    const replica = this.#replica;
    const id = replica.store.find(key, ~key);
    if (id === NO_RECORD) return;
    replica.view(key);
    for (const rule of replica.rules) rule.refuse(id);
    replica.refuse(key);
  }

  #hear(writer: Member, key: number, amount: number): void {
    // It counts in windows that it has heard of.
    if (amount > 2) writer.joinAll(this.#replica.sent());
    if (amount === 5 && writer.knows(key)) writer.evict(key);
    else writer.hit(key, amount);
    if (amount % 2 === 0) writer.refund(key);
    // What leaves is in the order of records, which are not the same ones.
    const sent = new Map(writer.sent().map((component) => [told(component), component]));
    for (const name of Array.from(sent.keys()).sort()) {
      this.#sweep();
      this.seen.push([name, this.#replica.join(sent.get(name)!)]);
    }
  }

  #evict(key: number): void {
    const replica = this.#replica;
    if (!replica.knows(key)) return;
    replica.release(key, 2 * WIDE_COST);
    this.seen.push(replica.evict(key));
  }

  /** Nothing that is over stays longer in one run than in the other. */
  #sweep(): void {
    for (const { store } of [this.#replica, ...this.#writers]) {
      store.sweep(Math.max(store.recordSlots, KEYS.length));
    }
  }

  #tellAll(): void {
    this.#settle(Number.POSITIVE_INFINITY);
    this.#close();
    this.#settle(Number.POSITIVE_INFINITY);
  }

  #close(): void {
    const { store } = this.#replica;
    this.#since = store.closeFrame() - 1;
    this.#place = 0;
    for (const { low, high, reset } of this.#replica.notes(this.#since)) {
      this.#listener.store.resets.join(low, high, reset);
    }
    this.#listener.store.resets.joinAll(store.versions.limiterReset);
  }

  /** Tells so many of the records in the closed frame. */
  #settle(places: number): void {
    const replica = this.#replica;
    const { unsent, delta, shapes } = replica.store;
    for (let told = 0; told < places && this.#place < unsent!.closedSize; told++) {
      const id = unsent!.settle(this.#place++);
      for (const policy of shapes.keys()) {
        const tell = (component: Parameters<Member["carried"]>[0]): void => {
          this.#listener.join(replica.carried(component));
        };
        delta.emitIfChanged(id, this.#since, policy, tell, true);
      }
    }
  }

  #look(): void {
    const replica = this.#replica;
    const { store } = replica;
    const { size, generation, evictions } = store;
    this.seen.push({ size, generation, ...evictions, sent: replica.sent().map(told).sort() });
    for (const key of KEYS) {
      const id = numberOf(store.find(key, ~key));
      const view = replica.view(key);
      if (id === 0) continue;
      const refusals = replica.rules.map((rule) => rule.refusals);
      const flags = store.records.word(id, STATE) & REFUSED;
      this.seen.push({ key, view, refusals, flags, heard: this.#heard(id).sort() });
    }
  }

  /** What the writers that are there are known to have counted for a key. */
  #heard(id: number): string[] {
    const { store, replicas } = this.#replica;
    const heard: string[] = [];
    for (const writer of this.#writers) {
      for (const policy of store.shapes.keys()) {
        store.delta.emitRemote(id, replicas.indexOf(writer.id), policy, (component) => {
          heard.push(told(this.#replica.carried(component)));
        });
      }
    }
    return heard;
  }
}

function told(carried: Carried): string {
  return JSON.stringify(carried);
}

function live(policy: Policy, steps: readonly Step[]): unknown[] {
  const world = new World(policy);
  for (const each of steps) world.take(each);
  world.end();
  return world.seen;
}

describe("a record number that is reused keeps no state", () => {
  it.each(cases)("in a store of %s", (_, policy) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        const seen = live(policy, steps);
        const due = withoutReuse(() => live(policy, steps));
        for (const [at, each] of seen.entries()) expectEqual(each, due[at], `seen as no. ${at}`);
      }),
      seededRuns(10),
    );
  });
});
