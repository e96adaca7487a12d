/** Under pressure those go first that matter least, and what was one's own is handed over. */

import { describe, expect, it } from "vitest";
import { concurrency, createLimiter, fixedWindow } from "../../src/index.ts";
import { MarkedWait } from "../../src/limiter/penalties.ts";
import { manualClock } from "../../src/testing.ts";
import { type Carried, fleet, type Member, type MemberOptions, START_MS } from "./fleet.ts";

const window = fixedWindow({ limit: 5, windowMs: 60_000 });

function bounded(keysMax: number, options: MemberOptions = {}): Member {
  const [member] = fleet([0, 0, 0, 0], [window], { ...options, keysMax });
  return member!;
}

const [, writer] = fleet([0, 0, 0, 0], [window]);
writer!.hit(1);
const [sent] = writer!.sent();

/** What another replica may have sent of a key. */
function foreign(key: number, replica = "replica-1"): Carried {
  return { ...sent!, low: key, high: ~key, replica, opener: replica };
}

describe("a full store evicts", () => {
  it("expired keys before keys that count", () => {
    const member = bounded(10);
    for (let key = 0; key < 5; key++) member.hit(key);
    member.at(START_MS + 60_000);
    for (let key = 100; key < 110; key++) expect(member.hit(key)).toBe(true);
    for (let key = 100; key < 110; key++) expect(member.knows(key)).toBe(true);
    expect(member.store.evictions).toMatchObject({ live: 0, refused: 0 });
  });

  it("foreign keys before own keys", () => {
    const member = bounded(10);
    for (let key = 0; key < 5; key++) member.hit(key, 1);
    for (let key = 50; key < 52; key++) member.join(foreign(key));
    for (let key = 60; key < 63; key++) member.hit(key);
    for (let key = 100; key < 102; key++) member.hit(key);
    for (const key of [0, 1, 2, 3, 4, 60, 61, 62, 100, 101]) expect(member.knows(key)).toBe(true);
    expect(member.store.evictions).toMatchObject({ foreign: 2, live: 0 });
  });

  it("keys with few hits before keys with many", () => {
    const member = bounded(10);
    for (let key = 0; key < 10; key++) member.hit(key, 10 - key);
    member.hit(100, 1);
    expect(member.knows(9)).toBe(false);
    expect(member.store.evictions.live).toBe(1);
  });

  it("refused keys last, however many other keys come", () => {
    const member = bounded(500);
    const marked = new MarkedWait();
    for (let key = 0; key < 20; key++) {
      member.hit(key, 5);
      member.refuse(key);
    }
    member.store.mark(7_777, ~7_777, 0, START_MS + 50_000, Number.POSITIVE_INFINITY);
    for (let key = 1_000; key < 21_000; key++) member.hit(key);
    for (let key = 0; key < 20; key++) expect(member.held(key)).toBe(5);
    expect(member.store.evictions.refused).toBe(0);
    marked.read(member.store, 7_777, ~7_777, 5);
    expect(marked.waitMs).toBe(50_000);
    expect(member.store.size).toBe(500);
  });

  it("no key that holds permits", () => {
    const [member] = fleet([0], [concurrency({ limit: 5 })], { keysMax: 10 });
    for (let key = 0; key < 10; key++) expect(member!.hit(key)).toBe(true);
    expect(member!.hit(100)).toBe(false);
    expect(member!.evict(3)).toBe(false);
    expect(member!.store.evictions.uncounted).toBe(1);
    member!.release(3);
    expect(member!.hit(100)).toBe(true);
    expect([member!.knows(3), member!.knows(4)]).toEqual([false, true]);
  });
});

describe("a limiter under pressure", () => {
  for (const [name, more] of [
    ["plain", {}],
    ["that bans", { ban: { after: 50, forMs: 1_000 } }],
    ["that backs off", { backoff: true }],
    ["that counts refused hits", { countRefused: true }],
  ] as const) {
    it(`remembers the keys that it refuses: ${name}`, () => {
      const policy = fixedWindow({ limit: 2, windowMs: 60_000, ...more });
      const clock = manualClock(1_000_000);
      const limiter = createLimiter({ name: "pressed", policy, maxKeys: 100, clock });
      for (let hit = 0; hit < 4; hit++) limiter.check("refused");
      for (let key = 0; key < 5_000; key++) limiter.charge(`other ${key}`, 10);
      expect(limiter.peek("refused").used).toBeGreaterThanOrEqual(2);
      expect(limiter.status().evicted.refused).toBe(0);
    });
  }
});

describe("one sender", () => {
  it("introduces no more keys than its quota of a full store", () => {
    const member = bounded(100);
    for (let key = 0; key < 70; key++) member.hit(key);
    let joined = 0;
    for (let key = 1_000; key < 5_000; key++) if (member.join(foreign(key))) joined++;
    const own = Array.from({ length: 70 }, (_, key) => member.knows(key)).filter(Boolean);
    expect(own).toHaveLength(70);
    expect(joined).toBeLessThan(100);
    // Its keys are rejections, and not hits that this replica has left uncounted.
    expect(member.store.evictions.uncounted).toBe(0);
    for (let key = 6_000; key < 6_020; key++) member.join(foreign(key, "replica-2"));
    expect(member.knows(6_019)).toBe(true);
  });

  it("has its whole quota again when its keys are gone", () => {
    const member = bounded(4);
    expect(member.join(foreign(1))).toBe(true);
    member.evict(1);
    for (let key = 10; key < 14; key++) member.hit(key);
    expect([member.join(foreign(2)), member.join(foreign(3))]).toEqual([true, false]);
  });
});

describe("an evicted key", () => {
  it("is published if it is this replica's own, with its generation, and only then", () => {
    const given: Carried[] = [];
    const member = bounded(100, {
      evicted: (component, by) => given.push(by.carried(component)) > 0,
    });
    member.hit(1, 3);
    member.join({ ...foreign(1), hits: 4 });
    member.join(foreign(2));
    for (const key of [1, 2]) expect(member.evict(key)).toBe(true);
    expect(given).toMatchObject([{ low: 1, replica: "replica-0", generation: 0, hits: 3 }]);
    expect(member.store.evictions).toMatchObject({ live: 1, foreign: 1, lost: 0 });
    member.hit(1, 1);
    expect(member.sent()).toMatchObject([{ generation: 1, hits: 1 }]);
  });

  it("is counted as lost when the sink cannot publish it", () => {
    const member = bounded(100, { evicted: () => false });
    member.hit(1, 3);
    member.evict(1);
    expect(member.store.evictions).toMatchObject({ live: 1, lost: 1 });
  });
});

describe("sweeping", () => {
  it("frees only expired records, a few at a time", () => {
    const member = bounded(1_000);
    for (let key = 0; key < 50; key++) member.hit(key);
    member.at(START_MS + 59_999);
    expect(member.store.sweep(1_000)).toBe(0);
    member.hit(99);
    member.at(START_MS + 60_000);
    expect(member.store.sweep(20)).toBeLessThanOrEqual(20);
    member.store.sweep(1_000);
    expect([member.store.size, member.knows(99)]).toEqual([1, true]);
  });
});

describe("clearing", () => {
  it("forgets everything, and counts separately from earlier frames", () => {
    const [left, right] = fleet([0, 0], [window]);
    left!.hit(1, 3);
    right!.joinAll(left!.sent());
    left!.store.clear();
    expect([left!.store.size, left!.held(1), left!.sent().length]).toEqual([0, 0, 0]);
    left!.hit(1, 2);
    right!.joinAll(left!.sent());
    expect(right!.held(1)).toBe(5);
  });
});
