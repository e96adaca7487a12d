import { describe, expect, it } from "vitest";
import { fixedWindow } from "../../src/index.ts";
import { blankComponent } from "../../src/lattice/component.ts";
import { Decider } from "../../src/limiter/decider.ts";
import { makeRule } from "../../src/limiter/make-rule.ts";
import { Replicas } from "../../src/store/replicas.ts";
import { Store } from "../../src/store/store.ts";

const KEYS_MAX = 16;
const NOW = 1_000_000;

/** A full-sized store of a replica that knows one other. */
function storeOfTwo() {
  const replicas = new Replicas("self");
  const other = replicas.indexOf("other");
  const policy = fixedWindow({ limit: 100, windowMs: 60_000 });
  const section = makeRule(policy, true);
  const store = new Store([section], { replicas, keysMax: KEYS_MAX, keepMs: 60_000, seed: 1 });
  const decider = new Decider(store, [section.rule()], [policy]);
  store.advance(NOW, NOW);
  return {
    store,
    hit: (low: number, cost = 1) => decider.decide("check", low, 0, cost, undefined).allowed,
    hear: (low: number, hits: number) =>
      store.join({ ...blankComponent(), low, replica: other, opener: other, place: NOW, hits }),
    knows: (low: number) => store.find(low, 0) !== 0,
  };
}

const FRESH = Array.from({ length: 3 * KEYS_MAX }, (_, index) => 1_000 + index);

describe("a full store", () => {
  it("keeps a busy key that it knows only from others", () => {
    const { hit, hear, knows } = storeOfTwo();
    hear(1, 60);
    for (const low of FRESH) hit(low);
    expect(knows(1)).toBe(true);
    expect(hit(1, 41)).toBe(false);
  });

  it("keeps a quarter of its keys for others at most, however busy those are", () => {
    const { store, hit, hear, knows } = storeOfTwo();
    for (let low = 1; low <= KEYS_MAX / 2; low++) hear(low, 100);
    for (const low of FRESH.slice(0, KEYS_MAX)) hit(low);
    const foreign = Array.from({ length: KEYS_MAX / 2 }, (_, index) => knows(index + 1));
    expect(foreign.filter(Boolean)).toHaveLength(KEYS_MAX / 4);
    expect(store.size).toBe(KEYS_MAX);
  });

  it("gives up a key known only from others before an equal one of its own", () => {
    const { hit, hear, knows } = storeOfTwo();
    hear(1, 1);
    for (const low of FRESH.slice(0, KEYS_MAX)) hit(low);
    expect(knows(1)).toBe(false);
    expect(FRESH.slice(0, KEYS_MAX).every(knows)).toBe(true);
  });

  it("gives up the one with the fewest hits of those known only from others", () => {
    const { hit, hear, knows } = storeOfTwo();
    for (let low = 1; low <= 6; low++) hear(low, 10 * low);
    for (const low of FRESH.slice(0, KEYS_MAX - 5)) hit(low);
    expect(knows(1)).toBe(false);
    expect([2, 3, 4, 5, 6].every(knows)).toBe(true);
  });
});
