import { describe, expect, it, vi } from "vitest";
import { concurrency, createLimiter, fixedWindow, slidingWindow } from "../../../src/index.ts";
import { RESET_AHEAD_MS_MAX } from "../../../src/store/marks/resets.ts";
import { manualClock } from "../../../src/testing.ts";
import { fleet, meet, START_MS } from "../fleet.ts";

const window = fixedWindow({ limit: 10, windowMs: 60_000 });

describe("a reset", () => {
  it("gives two replicas that reset at once the same view", () => {
    const members = fleet([0, 0], [window]);
    const [left, right] = [members[0]!, members[1]!];
    left.hit(1, 5);
    right.hit(1, 3);
    meet(members);
    left.reset(1);
    left.hit(1, 2);
    right.at(START_MS + 1).reset(1);
    right.hit(1, 1);
    meet(members);
    meet(members);
    // The later reset ends what was counted under the earlier one.
    expect([left.held(1), right.held(1)]).toEqual([1, 1]);
  });

  it("counts a hit that was lost to it again, under the reset now known", () => {
    const members = fleet([0, 0], [window]);
    const [left, right] = [members[0]!, members[1]!];
    left.hit(1, 2);
    right.at(START_MS + 1).reset(1);
    right.hit(1, 1);
    meet(members);
    left.hit(1, 4);
    meet(members);
    expect([left.held(1), right.held(1)]).toEqual([5, 5]);
  });

  it("voids components from before it, however late they arrive", () => {
    const [left, right] = fleet([0, 0], [window]);
    right!.hit(1, 5);
    const before = right!.sent();
    left!.reset(1);
    left!.joinAll(before);
    expect(left!.held(1)).toBe(0);
    expect(left!.join(before[0]!)).toBe(false);
  });

  it("rises above every reset known, also when the cluster's clock lags behind it", () => {
    const [left, right] = fleet([0, 0], [window]);
    right!.at(START_MS + 5_000).reset(1);
    const ahead = right!.store.resets.known(1, ~1);
    left!.store.resets.join(1, ~1, ahead);
    expect(left!.reset(1)).toBe(ahead + 1);
    expect(left!.store.resetAll()).toBe(ahead + 2);
  });

  it("never exceeds what other replicas accept, however often a key is counted and reset", () => {
    const [left] = fleet([0, 0], [window]);
    left!.store.resets.aheadMsMax = RESET_AHEAD_MS_MAX;
    left!.store.resets.join(1, ~1, START_MS + 9 * 60_000 - 1);
    left!.hit(1);
    expect(left!.reset(1)).toBe(START_MS + 9 * 60_000);
    left!.hit(1);
    expect(left!.reset(1)).toBe(START_MS + 9 * 60_000);
    expect(left!.held(1)).toBe(1);
    expect(left!.at(START_MS + 1).reset(1)).toBe(START_MS + 9 * 60_000 + 1);
    expect(left!.held(1)).toBe(0);
  });

  it("leaves permits as they are", () => {
    const members = fleet([0, 0], [window, concurrency({ limit: 5 })]);
    const [left, right] = [members[0]!, members[1]!];
    right.hit(1, 3);
    meet(members);
    left.reset(1);
    meet(members);
    expect([left.held(1, 0), left.held(1, 1)]).toEqual([0, 3]);
    expect([right.held(1, 0), right.held(1, 1)]).toEqual([0, 3]);
  });

  it("arrives with a component that was counted under it", () => {
    const [left, right] = fleet([0, 0], [window]);
    left!.hit(1, 5);
    right!.reset(1);
    right!.hit(1, 1);
    left!.joinAll(right!.sent());
    expect(left!.held(1)).toBe(1);
    expect(left!.sent()).toEqual([]);
  });
});

describe("a reset of all keys", () => {
  it("does not let hits from before it leave as if they came after it", () => {
    const [left, right] = fleet([0, 0], [window]);
    left!.hit(1, 5);
    left!.store.resetAll();
    expect(left!.sent()).toEqual([]);
    right!.joinAll(left!.sent());
    expect(right!.held(1)).toBe(0);
  });

  it("ends what another replica dropped since has counted too", () => {
    const members = fleet([0, 0, 0], [window]);
    for (const member of members) member.hit(1, 2);
    meet(members);
    members[0]!.store.resetAll();
    members[0]!.replicas.drop(2);
    expect(members[0]!.held(1)).toBe(0);
  });

  it("holds for many resets, and for keys not looked at in between", () => {
    const [member] = fleet([0], [window]);
    for (let key = 1; key <= 200; key++) {
      member!.hit(key, 3);
      member!.store.resetAll();
      if (key % 7 === 0) expect(member!.held(key - 6)).toBe(0);
      member!.hit(1_000 + key, 1);
      expect(member!.held(1_000 + key)).toBe(1);
    }
    expect(member!.sent()).toHaveLength(1);
  });

  it("does not end what was counted under a larger reset of the key", () => {
    const [member] = fleet([0], [window]);
    member!.store.resets.join(1, ~1, START_MS + 900);
    member!.hit(1, 4);
    member!.store.resets.joinAll(START_MS + 500);
    expect(member!.held(1)).toBe(4);
    expect(member!.sent()[0]).toMatchObject({ reset: START_MS + 900, hits: 4 });
  });
});

describe("resets of all keys", () => {
  it("visit no key, however many there are", () => {
    const [member] = fleet([0], [window]);
    for (let key = 1; key <= 100; key++) member!.hit(key, key);
    const refresh = vi.spyOn(member!.store.shapes[0]!, "refresh");
    for (let times = 1; times <= 500; times++) {
      member!.store.resetAll();
      member!.hit(1 + (times % 50));
    }
    // Each key is brought up to date at its next check.
    expect(refresh).toHaveBeenCalledTimes(500);
    expect([member!.held(1), member!.held(2), member!.held(100)]).toEqual([1, 0, 0]);
  });
});

describe("a refund of a hit from before a reset", () => {
  for (const [name, policy] of [
    ["in an aligned window", fixedWindow({ limit: 5, windowMs: 60_000, align: true })],
    ["in a slot", slidingWindow({ limit: 5, windowMs: 60_000 })],
    ["in a window opened in the same millisecond", fixedWindow({ limit: 5, windowMs: 60_000 })],
  ] as const) {
    it(`refunds nothing ${name}`, () => {
      const limiter = createLimiter({ name: "resets", policy, clock: manualClock(1_000_000) });
      const before = limiter.check("key");
      limiter.reset("key");
      const after = limiter.check("key");
      limiter.refund("key", 1, before);
      expect([limiter.peek("key").used, limiter.status().ignoredRefunds]).toEqual([1, 1]);
      limiter.refund("key", 1, after);
      expect(limiter.peek("key").used).toBe(0);
    });
  }
});
