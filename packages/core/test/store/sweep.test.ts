import { describe, expect, it } from "vitest";
import { fixedWindow, SECOND } from "../../src/index.ts";
import { Replicas } from "../../src/store/replicas/replicas.ts";
import { makeRule } from "../../src/store/shapes/make-rule.ts";
import { Store } from "../../src/store/store.ts";

const KEYS = 50_000;
const BUDGET = 1_000;

/** A store that says how many words of records were read. */
function storeOf(): { store: Store; hit: (key: number) => void; reads: () => number } {
  const section = makeRule(fixedWindow({ limit: 5, windowMs: SECOND }), false);
  const store = new Store([section], {
    replicas: new Replicas("self"),
    ...{ keysMax: 2 * KEYS, keepMs: 0, seed: 1 },
  });
  const rule = section.rule(store.shapes[0]!);
  const { records } = store;
  const word = records.word.bind(records);
  let reads = 0;
  records.word = (id, at) => {
    reads++;
    return word(id, at);
  };
  const hit = (key: number) => {
    const id = store.find(key, ~key) || store.insert(key, ~key);
    rule.read(id, store.now, store.now, key);
    store.changed(id);
    rule.add(id, 1);
  };
  return { store, hit, reads: () => reads };
}

describe("a table that was large and holds few keys", () => {
  it("costs a tick or a new key no more than a small one", () => {
    const { store, hit, reads } = storeOf();
    for (let key = 1; key <= KEYS; key++) hit(key);
    store.advance(SECOND, SECOND);
    hit(KEYS + 1);
    while (store.size > 1) store.sweep(KEYS);

    let before = reads();
    store.sweep(BUDGET);
    expect(reads() - before).toBeLessThan(20 * BUDGET);
    for (let key = 1; key <= 10; key++) {
      before = reads();
      hit(2 * KEYS + key);
      expect(reads() - before).toBeLessThan(100);
    }
  });

  it("is swept completely by visiting each slot once", () => {
    const { store, hit } = storeOf();
    for (let key = 1; key <= KEYS; key++) hit(key);
    store.advance(SECOND, SECOND);
    expect(store.recordSlots).toBe(KEYS);
    expect(store.sweep(store.recordSlots)).toBe(KEYS);
    expect([store.size, store.recordSlots]).toEqual([0, 0]);
  });
});
