import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Decision } from "../../src/base/decision.ts";
import { blankComponent, type Component } from "../../src/crdt/component.ts";
import { Decider } from "../../src/limiter/decider.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";

import { FastWindowCheck } from "../../src/store/fast-window-check.ts";
import { Replicas } from "../../src/store/replicas/replicas.ts";
import { makeRule } from "../../src/store/shapes/make-rule.ts";
import { type Announcer, Store } from "../../src/store/store.ts";
import { expectEqual } from "../quick-expectation.ts";
import { showChanges } from "./changes.ts";

const LIMIT = 4;
const WINDOW_MS = 50;
const KEYS_MAX = 3;

const OTHERS = 2;

/** A store and its decider, alone or with others, with or without a short cut for usual checks. */
class Lane implements Announcer {
  readonly store: Store;
  readonly evicted: Component[] = [];
  readonly announced: unknown[] = [];
  readonly replicas = new Replicas("self");
  readonly #decider: Decider;
  readonly #usual: FastWindowCheck | null;
  readonly #rule: ReturnType<ReturnType<typeof makeRule>["rule"]>;
  readonly #counted: { key: number; ticket: number; cost: number }[] = [];
  usualChecks = 0;

  constructor(isShort: boolean, isShared: boolean, countRefused = false) {
    const policy = fixedWindow({ limit: LIMIT, windowMs: WINDOW_MS, countRefused });
    const section = makeRule(policy, isShared);
    if (isShared) for (const name of ["one", "two"]) this.replicas.indexOf(name);
    this.store = new Store([section], {
      replicas: this.replicas,
      announcer: isShared ? this : undefined,
      ...{ keysMax: KEYS_MAX, keepMs: 1_000, seed: 7 },
      evicted: (component) => this.evicted.push({ ...component }) > 0,
    });
    this.#rule = section.rule(this.store.shapes[0]!);
    this.#decider = new Decider(this.store, [this.#rule], [policy]);
    const company = {
      replicas: this.replicas,
      anticipates: false,
      partitionDetector: { separation: null },
    };
    this.#usual = isShort
      ? FastWindowCheck.of(this.store, [policy], isShared ? company : null)
      : null;
  }

  began(now: number): void {
    this.announced.push([now]);
  }

  counted(now: number, unsent: number, ceiling: number, used: number): void {
    this.announced.push([now, unsent, ceiling, used]);
  }

  urgent(now: number): void {
    this.announced.push([now, "urgent"]);
  }

  /** What another replica counted, in a window of any opener. */
  join(key: number, hits: number, dice: number): boolean {
    const replica = 1 + (dice % OTHERS);
    const opener = (dice >> 1) % (OTHERS + 1);
    const period = Math.max(0, this.store.now - this.replicas.offsetMs(opener) - 6 * (dice >> 2));
    const counted = { low: key, high: ~key, replica, opener, period, hits };
    return this.store.join(Object.assign(blankComponent(), counted));
  }

  check(key: number, cost: number): Decision {
    const isThere = cost > 0 && this.store.index.find(key, ~key) !== 0;
    const short = isThere ? this.#usual?.check(key, cost) : null;
    if (short) this.usualChecks++;
    const decision = short ?? this.#decider.decide("check", key, ~key, cost, undefined);
    const ticket = Decision.ticketsOf(decision) as number;
    if (ticket !== 0) this.#counted.push({ key, ticket, cost });
    return decision;
  }

  charge(key: number, cost: number): Decision {
    return this.#decider.decide("charge", key, ~key, cost, undefined);
  }

  /** Gives back a hit counted a while ago; returns how much of it was. */
  refund(back: number): number {
    const hit = this.#counted.at(-1 - back);
    const id = hit === undefined ? 0 : this.store.find(hit.key, ~hit.key);
    if (hit === undefined || id === 0) return 0;
    const ticket = (hit.ticket - this.store.ticketTie(id, hit.key)) | 0;
    const { now } = this.store;
    const given = this.#rule.refund(id, ticket, hit.cost, now, now, true);
    if (given > 0) this.store.changed(id);
    return given;
  }

  /** All that replication would see of it. */
  sent(frame: number): Component[] {
    const sent: Component[] = [];
    showChanges(this.store, frame, (component) => {
      sent.push(Object.assign(blankComponent(), component));
    });
    return sent;
  }
}

type Step = readonly [
  "check" | "charge" | "refund" | "join" | "offset" | "other",
  ...[number, number, number],
];

function perform(lane: Lane, [op, key, cost, dice]: Step): unknown {
  const { store } = lane;
  if (op === "check") return lane.check(key, cost);
  if (op === "charge") return lane.charge(key, cost);
  if (op === "refund") return lane.refund(key);
  if (op === "join") return lane.join(key, cost, dice);
  if (op === "offset") return lane.replicas.setOffset(1 + (key % OTHERS), 4 * dice - 20);
  if (dice === 0) return store.reset(key, ~key);
  if (dice === 1) return store.resetAll();
  if (dice === 2) return store.mark(key, ~key, 0, store.clusterNow + 5 * cost, 1_000);
  if (dice === 3) return store.unmark(key, ~key);
  if (dice === 4) return store.closeFrame();
  return store.advance(store.now + cost * dice, store.now + cost * dice);
}

/** The same steps with and without the short cut, which must come to the same. */
function compare(kinds: readonly Step[0][], isShared: boolean, countRefused = false): number {
  const step: fc.Arbitrary<Step> = fc.tuple(
    fc.constantFrom(...kinds),
    fc.integer({ min: 1, max: KEYS_MAX + 2 }),
    fc.integer({ min: 0, max: 6 }),
    fc.integer({ min: 0, max: 12 }),
  );
  let usualChecks = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: "max" }), (steps) => {
      const short = new Lane(true, isShared, countRefused);
      const long = new Lane(false, isShared, countRefused);
      for (const each of steps) {
        expectEqual(perform(short, each), perform(long, each));
        expectEqual(short.store.evictions, long.store.evictions);
        // What each step has added, or the length of a history would count twice.
        expectEqual(short.evicted.splice(0), long.evicted.splice(0));
        expectEqual(short.announced.splice(0), long.announced.splice(0));
        expectEqual(short.sent(short.store.frame - 1), long.sent(long.store.frame - 1));
      }
      expectEqual(short.sent(0), long.sent(0));
      usualChecks += short.usualChecks;
    }),
    seededRuns(300),
  );
  return usualChecks;
}

describe("the fast path", () => {
  it("decides, counts and stores exactly what the engine does", () => {
    const usualChecks = compare(
      ["check", "check", "check", "check", "charge", "refund", "other"],
      false,
    );
    // Else this has compared the decider with itself.
    expect(usualChecks).toBeGreaterThan(1_000);
  });

  it("does so in a replicated limiter too, and reports how urgent it is to publish", () => {
    const usualChecks = compare(
      ["check", "check", "check", "check", "check", "charge", "refund", "join", "offset", "other"],
      true,
    );
    expect(usualChecks).toBeGreaterThan(1_000);
  });

  it.each([false, true])(
    "leaves hits that count though refused to it, in company: %s",
    (isShared) => {
      const usualChecks = compare(
        ["check", "check", "check", "refund", "join", "other"],
        isShared,
        true,
      );
      expect(usualChecks).toBeGreaterThan(100);
    },
  );

  it("leaves out what others counted in a window that is over before the newest", () => {
    const lanes = [new Lane(true, true), new Lane(false, true)];
    const used = lanes.map((lane) => {
      lane.store.advance(100, 100);
      lane.check(1, 1);
      const counted = { low: 1, high: ~1, replica: 1, opener: 1, period: 80, hits: 1 };
      lane.store.join(Object.assign(blankComponent(), counted));
      return [129, 130].map((now) => {
        lane.store.advance(now, now);
        return lane.check(1, 1).used;
      });
    });
    expect(used).toEqual([
      [3, 3],
      [3, 3],
    ]);
  });
});
