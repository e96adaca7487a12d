import { seededRandom } from "@tidegate/testkit";
import { describe, expect, it } from "vitest";
import { blankComponent } from "../../src/crdt/component.ts";
import { BATCH_MAX, ComponentBatch } from "../../src/wire/component-batch.ts";

/**
 * The order in which a batch writes so many components, of which some share keys or half of one.
 */
function orders(size: number): { given: number[]; expected: number[] } {
  const random = seededRandom(size);
  const below = (end: number): number => Math.floor(random() * end);
  const batch = new ComponentBatch();
  const component = blankComponent();
  const keys = Array.from({ length: size }, () => {
    const kind = below(10);
    const high = kind === 0 ? below(3) - 1 : below(2 ** 32) | 0;
    return { high, low: kind < 2 ? below(3) - 1 : below(2 ** 32) | 0 };
  });
  for (const { low, high } of keys) batch.add(Object.assign(component, { low, high }));
  batch.sort();
  const expected = Array.from(keys.keys()).sort(
    (left, right) =>
      (keys[left]!.high >>> 0) - (keys[right]!.high >>> 0) ||
      (keys[left]!.low >>> 0) - (keys[right]!.low >>> 0),
  );
  return { given: Array.from(batch.order.subarray(0, size)), expected };
}

describe("a batch of components", () => {
  it.each([1, 2, 511, 512, 513, 3_000, BATCH_MAX])(
    "of %i is ordered by fingerprint, and of one fingerprint by insertion",
    (size) => {
      const { given, expected } = orders(size);
      expect(given).toEqual(expected);
    },
  );

  it("is ordered anew when it is used again", () => {
    const batch = new ComponentBatch();
    for (const size of [BATCH_MAX, 600, 5]) {
      batch.clear();
      for (let at = 0; at < size; at++) {
        batch.add(Object.assign(blankComponent(), { low: at, high: size - at }));
      }
      batch.sort();
      expect([batch.order[0], batch.order[size - 1]]).toEqual([size - 1, 0]);
    }
  });
});
