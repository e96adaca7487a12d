import { afterEach, describe, expect, it, vi } from "vitest";
import { tokenBucket } from "../../src/policies/bucket.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { VERSIONS } from "../../src/store/table/entry.ts";
import { fleet, type Member } from "./fleet.ts";

const window = fixedWindow({ limit: 10, windowMs: 600_000 });

/** Offsets of other replicas change so often, one way and the other. */
function change({ store }: Member, times: number): void {
  for (let time = 0; time < times; time++) store.versions.next();
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("versions that wrap around", () => {
  it("bring each record up to date a few times meanwhile, and never many at once", () => {
    const [member] = fleet([0], [window]);
    const keys = Array.from({ length: 100 }, (_, at) => at + 1);
    for (const key of keys) member!.hit(key);
    const refresh = vi.spyOn(member!.store.shapes[0]!, "refresh");
    for (let time = 0; time < 2 * VERSIONS; time++) {
      const before = refresh.mock.calls.length;
      change(member!, 1);
      if (refresh.mock.calls.length > before + 1) expect.fail(`many at once, ${time} changes on`);
    }
    const read = refresh.mock.calls.map(([id]) => id);
    expect(new Set(read).size).toBe(keys.length);
    expect(read.length).toBeLessThanOrEqual(8 * keys.length);
    expect(keys.map((key) => member!.held(key))).toEqual(keys.map(() => 1));
  });

  it.each([1, 2, 3, 4, 5])(
    "find in all records what began amid a round, %d quarters on",
    (quarters) => {
      const [reset, renamed] = fleet([0, 0], [window]);
      const keys = Array.from({ length: 400 }, (_, at) => at + 1);
      for (const member of [reset!, renamed!]) {
        for (const key of keys) member.hit(key);
        change(member, VERSIONS / 4 + 200);
      }
      reset!.store.resetAll();
      const former = renamed!.replicas.renameSelf("another");
      renamed!.store.versions.disown({ replica: former, originMs: 0 });
      for (const member of [reset!, renamed!]) change(member, (quarters * VERSIONS) / 4);
      expect(renamed!.sent()).toEqual([]);
      for (const key of keys) expect([reset!.held(key), renamed!.held(key)]).toEqual([0, 1]);
    },
  );

  it.each([0, 1, 5, VERSIONS - 20])(
    "still separate counts before a reset of all keys from later ones, after %d changes",
    (changes) => {
      const [member] = fleet([0], [window]);
      for (const key of [1, 2, 3]) member!.hit(key, 3);
      change(member!, changes);
      member!.hit(2);
      member!.store.resetAll();
      member!.hit(3, 2);
      change(member!, VERSIONS + 5 - changes);
      member!.hit(4, 5);
      expect([1, 2, 3, 4].map((key) => member!.held(key))).toEqual([0, 0, 2, 5]);
      // And a reset that takes the last of them.
      change(member!, VERSIONS - 9);
      for (let resets = 0; resets < 12; resets++) {
        member!.store.resetAll();
        member!.hit(10 + resets);
      }
      const keys = Array.from({ length: 12 }, (_, at) => 10 + at);
      expect(keys.map((key) => member!.held(key))).toEqual([...Array(11).fill(0), 1]);
      expect([3, 4].map((key) => member!.held(key))).toEqual([0, 0]);
    },
  );

  it("count each replica's offset as it is then", () => {
    const [reader, writer] = fleet([0, 0], [window]);
    writer!.hit(1, 4);
    reader!.joinAll(writer!.sent());
    change(reader!, VERSIONS + 3);
    expect(reader!.held(1)).toBe(4);
    reader!.replicas.drop(reader!.replicas.indexOf(writer!.id));
    expect(reader!.held(1)).toBe(0);
  });

  it("keep the index of a former id while records still have to be moved to it", () => {
    const [member] = fleet([0], [window]);
    const { replicas, store } = member!;
    member!.hit(1, 4);
    const former = replicas.renameSelf("another");
    store.versions.disown({ replica: former, originMs: 0 });
    for (let look = 0; look < 2; look++) {
      const spare = new Set(replicas.spare(() => false));
      Array.from(store.refersTo((index) => spare.delete(index)));
      replicas.reclaim(spare);
    }
    const newcomer = replicas.indexOf("newcomer");
    expect([newcomer === former, member!.held(1)]).toEqual([false, 4]);
    replicas.drop(newcomer);
    expect(member!.held(1)).toBe(4);
  });

  it("begin anew when the cluster's time steps back just then", () => {
    const [member, same] = fleet([0, 0], [tokenBucket({ capacity: 10, refillPerSecond: 0.001 })]);
    const stepBack = (each: Member): number => {
      const before = each.store.clusterNow;
      each.hit(1, 5);
      each.at(each.store.now, before - 120_000);
      return each.held(1);
    };
    change(member!, VERSIONS - 1);
    expect(stepBack(member!)).toBe(stepBack(same!));
  });
});
