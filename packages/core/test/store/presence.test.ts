/** What replicas that fall silent, are dropped, or change their clocks leave in a store. */

import { describe, expect, it } from "vitest";
import { concurrency, fixedWindow, slidingLog, slidingWindow } from "../../src/index.ts";
import { fleet, meet, START_MS } from "./fleet.ts";

const gauge = concurrency({ limit: 5 });

describe("a silent replica", () => {
  it("holds no permits while it is silent, and the same ones when it returns", () => {
    const [left, right] = fleet([0, 0], [gauge]);
    right!.hit(1, 3);
    left!.joinAll(right!.sent());
    left!.replicas.setAlive(1, false);
    expect(left!.held(1)).toBe(0);
    left!.replicas.setAlive(1, true);
    expect(left!.held(1)).toBe(3);
  });

  it("is not dropped by a sweep while it holds permits", () => {
    const [left, right] = fleet([0, 0], [gauge]);
    right!.hit(1, 3);
    left!.joinAll(right!.sent());
    left!.replicas.setAlive(1, false);
    left!.store.sweep(10);
    left!.replicas.setAlive(1, true);
    expect(left!.held(1)).toBe(3);
  });

  it("keeps its hits in windows", () => {
    const [left, right] = fleet([0, 0], [fixedWindow({ limit: 5, windowMs: 60_000 })]);
    right!.hit(1, 3);
    left!.joinAll(right!.sent());
    left!.replicas.setAlive(1, false);
    expect(left!.held(1)).toBe(3);
  });
});

describe("a dropped replica", () => {
  for (const policy of [
    fixedWindow({ limit: 5, windowMs: 60_000 }),
    fixedWindow({ limit: 5, windowMs: 60_000, align: true }),
    slidingLog({ limit: 5, windowMs: 60_000 }),
    gauge,
  ]) {
    it(`loses all its counts, and returns as a new one: ${policy.kind}`, () => {
      const [left, right] = fleet([0, 0], [policy]);
      left!.hit(1, 1);
      right!.hit(1, 3);
      const sent = right!.sent();
      left!.joinAll(sent);
      left!.replicas.drop(1);
      expect(left!.held(1)).toBe(1);
      expect(left!.store.join({ ...sent[0]!, replica: 1, opener: 1 })).toBe(false);
      left!.joinAll(sent);
      expect(left!.held(1)).toBe(4);
    });
  }

  it("leaves its windows to the replicas that count in them", () => {
    const members = fleet([0, 500], [fixedWindow({ limit: 5, windowMs: 60_000 })]);
    const [left, right] = [members[0]!, members[1]!];
    right.hit(1, 3);
    left.at(START_MS + 10_000).joinAll(right.sent());
    left.hit(1, 1);
    left.replicas.drop(1);
    left.hit(1, 1);
    expect(left.sent()).toMatchObject([{ opener: "replica-1", period: START_MS + 500, hits: 2 }]);
    expect(left.at(START_MS + 60_000).held(1)).toBe(0);
  });
});

describe("a cluster's clock that was set back and forth again", () => {
  it("does not restore hits that a grid has dropped", () => {
    const members = fleet([0, 0, 0], [slidingWindow({ limit: 9, windowMs: 1_000, slots: 5 })]);
    const [left, right] = [members[0]!, members[1]!];
    right.hit(1, 3);
    left.joinAll(right.sent());
    left.at(START_MS + 1, START_MS - 70_000);
    expect(left.held(1)).toBe(0);
    left.at(START_MS + 2, START_MS + 2);
    const before = left.held(1);
    left.replicas.setAlive(2, false);
    expect(left.held(1)).toBe(before);
    meet(members);
    expect(left.held(1)).toBe(3 * 200);
  });
});
