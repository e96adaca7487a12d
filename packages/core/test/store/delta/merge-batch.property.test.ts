import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blankComponent, type Component } from "../../../src/crdt/component.ts";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { MergeBatch } from "../../../src/store/delta/merge-batch.ts";
import { Replicas } from "../../../src/store/replicas/replicas.ts";
import { makeRule } from "../../../src/store/shapes/make-rule.ts";
import { Store } from "../../../src/store/store.ts";
import { numberOf } from "../../../src/store/table/record-id.ts";

const WINDOW_MS = 1_000;
const KEYS_MAX = 150;
const OTHERS = ["one", "two", "three"];

function storeOf(): Store {
  const replicas = new Replicas("self");
  for (const id of OTHERS) replicas.indexOf(id);
  const section = makeRule(fixedWindow({ limit: 5, windowMs: WINDOW_MS }), true);
  return new Store([section], { replicas, keysMax: KEYS_MAX, keepMs: 1_000, seed: 7 });
}

/** All that a store has merged from others. */
function heard(store: Store): Component[] {
  const components: Component[] = [];
  for (let id = 1; id < store.records.end; id++) {
    for (let replica = 1; replica <= OTHERS.length; replica++) {
      store.delta.emitRemote(id, replica, 0, (component) => components.push({ ...component }));
    }
  }
  const sums = components.map(({ low, high }) => {
    const id = numberOf(store.find(low, high));
    return store.shapes[0]!.weight(id);
  });
  return components.map((component, index) => Object.assign(component, { sum: sums[index] }));
}

const component: fc.Arbitrary<Component> = fc
  .record({
    low: fc.integer({ min: 1, max: 90 }),
    replica: fc.integer({ min: 1, max: OTHERS.length }),
    opener: fc.integer({ min: 0, max: OTHERS.length }),
    period: fc.constantFrom(100, 400, 402),
    generation: fc.constantFrom(0, 0, 0, 1),
    hits: fc.oneof(fc.nat({ max: 50 }), fc.constantFrom(2 ** 31 - 2, 2 ** 31, 2 ** 40)),
    refunds: fc.constantFrom(0, 0, 0, 1),
  })
  .map((drawn) =>
    Object.assign(blankComponent(), drawn, {
      high: Math.imul(drawn.low, 0x9e37_79b1),
      refunds: Math.min(drawn.refunds, drawn.hits),
    }),
  );

describe("components that are merged in batches", () => {
  it("give the same result as one by one, in order", () => {
    fc.assert(
      fc.property(
        fc.array(component, { maxLength: 400, size: "max" }),
        fc.array(fc.nat({ max: 700 }), { maxLength: 4 }),
        (components, pauses) => {
          const [together, apart] = [storeOf(), storeOf()];
          const joining = new MergeBatch();
          let now = 500;
          for (const store of [together, apart]) store.advance(now, now);
          components.forEach((each, index) => {
            if (joining.take(each)) joining.joinAll(together);
            apart.join(each);
            if (index % 100 !== 99) return;
            joining.joinAll(together);
            now += pauses[(index - 99) / 100] ?? 0;
            for (const store of [together, apart]) store.advance(now, now);
          });
          joining.joinAll(together);
          expect(heard(together)).toEqual(heard(apart));
          expect(together.size).toBe(apart.size);
        },
      ),
      seededRuns(100),
    );
  });

  it("keep the largest of all received counts, in any order", () => {
    const store = storeOf();
    store.advance(500, 500);
    const joining = new MergeBatch();
    for (const hits of [3, 9, 4, 9, 12]) {
      for (let low = 1; low <= 100; low++) {
        const counted = { low, high: ~low, replica: 1, opener: 1, period: 400, hits };
        if (joining.take(Object.assign(blankComponent(), counted))) joining.joinAll(store);
      }
    }
    joining.joinAll(store);
    for (let low = 1; low <= 100; low++) {
      expect(store.shapes[0]!.weight(numberOf(store.find(low, ~low)))).toBe(12);
    }
  });
});
