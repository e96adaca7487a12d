import { seededRandom, seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  FINGERPRINT_HIGH,
  FINGERPRINT_LOW,
  KeyIndex,
  LOCATED_MAX,
} from "../../../src/store/table/key-index.ts";
import { RecordPool } from "../../../src/store/table/record-pool.ts";
import { expectEqual } from "../../quick-expectation.ts";

type Key = readonly [low: number, high: number];

/** All that random changes of few keys may name. */
const POSSIBLE_KEYS: readonly Key[] = [-1, 0, 1].flatMap((high) =>
  Array.from({ length: 64 }, (_, index): Key => [index - 3, high]),
);

/** The index beside a Map with the same entries. */
class IndexTwin {
  readonly pool = new RecordPool(2);
  readonly index: KeyIndex;
  readonly known = new Map<string, number>();

  constructor(seed: number) {
    this.index = new KeyIndex(this.pool, seed);
  }

  insert(low: number, high: number): void {
    if (this.known.has(`${low},${high}`)) return;
    const id = this.pool.allocate();
    this.pool.setWord(id, FINGERPRINT_LOW, low);
    this.pool.setWord(id, FINGERPRINT_HIGH, high);
    this.index.insert(id);
    this.known.set(`${low},${high}`, id);
  }

  remove(low: number, high: number): void {
    const id = this.known.get(`${low},${high}`);
    if (id === undefined) return;
    this.index.remove(id);
    this.pool.release(id);
    this.known.delete(`${low},${high}`);
  }

  /** Looks for several at once, and returns those where it finds anything but the key or nothing. */
  mislocated(keys: readonly Key[]): Key[] {
    const ids = new Int32Array(LOCATED_MAX);
    const [low, high] = [0, 1].map((half) => Int32Array.from(keys, (key) => key[half]!));
    this.index.locate(low!, high!, ids, keys.length);
    return keys.filter(([keyLow, keyHigh], at) => {
      const known = this.known.get(`${keyLow},${keyHigh}`) ?? 0;
      return ids[at] !== 0 && ids[at] !== known;
    });
  }

  /** Those of the keys for which it does not find what the map says. */
  mistaken(keys: readonly Key[]): Key[] {
    return keys.filter(
      ([low, high]) => this.index.find(low, high) !== (this.known.get(`${low},${high}`) ?? 0),
    );
  }
}

describe("KeyIndex agrees with a Map", () => {
  it("under random insertions and removals of few keys, in clusters", () => {
    const key = fc.tuple(fc.integer({ min: -3, max: 60 }), fc.integer({ min: -1, max: 1 }));
    const change = fc.tuple(fc.boolean(), key);
    fc.assert(
      fc.property(
        fc.integer(),
        fc.array(change, { maxLength: 400, size: "max" }),
        (seed, changes) => {
          const twin = new IndexTwin(seed);
          for (const [isInsertion, [low, high]] of changes) {
            if (isInsertion) twin.insert(low, high);
            else twin.remove(low, high);
            const near: Key[] =
              low % 2 === 0
                ? [
                    [low, high],
                    [low + 1, high],
                    [3, 0],
                  ]
                : [];
            expectEqual(twin.mislocated(near), []);
            expectEqual(twin.mistaken([[low, high]]), []);
          }
          expect(twin.mistaken(POSSIBLE_KEYS)).toEqual([]);
        },
      ),
      seededRuns(40),
    );
  });

  it("through several splits, and when most keys are removed again", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const twin = new IndexTwin(seed);
        const random = seededRandom(seed >>> 0);
        const keys = Array.from({ length: 12_000 }, (_, index) => {
          // Half of the fingerprints are as bad as they can be: counted up, with one high half.
          const low = index % 2 === 0 ? index : Math.floor(random() * 2 ** 32) | 0;
          return [low, index % 2 === 0 ? 0 : Math.floor(random() * 2 ** 32) | 0] as const;
        });
        for (const [low, high] of keys) twin.insert(low, high);
        expect(twin.mistaken(keys)).toEqual([]);
        const gone = keys.filter((_, index) => index % 5 !== 0);
        for (const [low, high] of gone) twin.remove(low, high);
        expect(twin.mistaken(keys)).toEqual([]);
        for (const [low, high] of gone.slice(0, 3_000)) twin.insert(low, high);
        expect(twin.mistaken(keys)).toEqual([]);
        expect(twin.index.find(123_456_789, 1)).toBe(0);
      }),
      seededRuns(3),
    );
  });

  it("after it has been cleared", () => {
    const twin = new IndexTwin(1);
    for (let low = 0; low < 5_000; low++) twin.insert(low, ~low);
    twin.index.clear();
    twin.pool.clear();
    twin.known.clear();
    expect(twin.index.find(3, ~3)).toBe(0);
    twin.insert(3, ~3);
    expect(twin.mistaken([[3, ~3]])).toEqual([]);
  });

  it("finds nearly all keys at the first lookup when it locates several at once", () => {
    const twin = new IndexTwin(7);
    const random = seededRandom(3);
    const half = (): number => (random() * 2 ** 32) | 0;
    const keys = Array.from({ length: 20_000 }, () => [half(), half()] as const);
    for (const [low, high] of keys) twin.insert(low, high);
    const ids = new Int32Array(LOCATED_MAX);
    let found = 0;
    for (let first = 0; first < keys.length; first += LOCATED_MAX) {
      const some = keys.slice(first, first + LOCATED_MAX);
      const [low, high] = [0, 1].map((half) => Int32Array.from(some, (key) => key[half]!));
      expect(twin.mislocated(some)).toEqual([]);
      twin.index.locate(low!, high!, ids, some.length);
      found += ids.subarray(0, some.length).filter((id) => id !== 0).length;
    }
    expect(found).toBeGreaterThan(0.98 * keys.length);
  });
});
