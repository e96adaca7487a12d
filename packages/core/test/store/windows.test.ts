/** Windows that replicas share by name, and components that stand beside each other. */

import { describe, expect, it } from "vitest";
import { fixedWindow, slidingLog, slidingWindow } from "../../src/index.ts";
import { NO_REPLICA } from "../../src/store/replicas/replicas.ts";
import { fleet, meet, START_MS } from "./fleet.ts";

const WINDOW_MS = 8_000;
const window = fixedWindow({ limit: 10, windowMs: WINDOW_MS });

describe("windows", () => {
  it("are shared by the replicas that receive them, and end for all at once", () => {
    const [left, right] = fleet([0, 5_000_000], [window]);
    left!.hit(1, 2);
    right!.at(START_MS + 3_000).joinAll(left!.sent());
    right!.hit(1, 3);
    left!.at(START_MS + 3_000).joinAll(right!.sent());
    expect([left!.held(1), right!.held(1)]).toEqual([5, 5]);
    for (const member of [left!, right!]) {
      expect(member.at(START_MS + WINDOW_MS - 1).held(1)).toBe(5);
      expect(member.at(START_MS + WINDOW_MS).held(1)).toBe(0);
    }
  });

  it("keep opener and start across replicas, and never move", () => {
    const members = fleet([0, 5_000_000, -70_000], [window]);
    members[0]!.hit(1);
    for (let hop = 1; hop <= 6; hop++) {
      const from = members[(hop - 1) % 3]!;
      const to = members[hop % 3]!.at(START_MS + hop * 1_000);
      to.joinAll(from.sent());
      to.hit(1);
      expect(to.sent()).toMatchObject([{ opener: "replica-0", period: START_MS }]);
    }
    for (const member of members) expect(member.at(START_MS + WINDOW_MS).held(1)).toBe(0);
  });

  it("are not ended by a newer one", () => {
    const [left, right] = fleet([0, 0], [window]);
    left!.hit(1, 4);
    right!.at(START_MS + 5_000).hit(1, 3);
    left!.at(START_MS + 5_000).joinAll(right!.sent());
    expect(left!.held(1)).toBe(7);
    left!.hit(1, 1);
    expect(left!.sent().map(({ opener, hits }) => [opener, hits])).toEqual([
      ["replica-1", 1],
      ["replica-0", 4],
    ]);
    expect(left!.at(START_MS + WINDOW_MS - 1).held(1)).toBe(8);
    expect(left!.at(START_MS + WINDOW_MS).held(1)).toBe(4);
    expect(left!.at(START_MS + 5_000 + WINDOW_MS).held(1)).toBe(0);
  });

  it("end together with the newest one if they opened at most the spread before it", () => {
    for (const [apartMs, isTogether] of [
      [100, true],
      [101, false],
    ] as const) {
      const [left, right] = fleet([0, 0], [window]);
      left!.hit(1, 4);
      right!.at(START_MS + apartMs).hit(1, 3);
      left!.at(START_MS + apartMs).joinAll(right!.sent());
      expect(left!.at(START_MS + WINDOW_MS + apartMs - 1).held(1)).toBe(isTogether ? 7 : 3);
      expect(left!.at(START_MS + WINDOW_MS + apartMs).held(1)).toBe(0);
    }
  });

  it("count refused hits where hits are counted: in the newest one", () => {
    const banning = fixedWindow({
      limit: 10,
      windowMs: WINDOW_MS,
      ban: { after: 3, forMs: 1_000 },
    });
    const [left, right] = fleet([0, 0], [banning]);
    left!.hit(1);
    right!.at(START_MS + 1).hit(1);
    left!.at(START_MS + 1).joinAll(right!.sent());
    left!.held(1);
    left!.rules[0]!.refuse(left!.store.find(1, ~1));
    expect(left!.sent()).toMatchObject([
      { opener: "replica-1", hits: 0, refusals: 1 },
      { opener: "replica-0", hits: 1, refusals: 0 },
    ]);
  });

  it("are dropped with the last replica that has counted in them", () => {
    const [left, right] = fleet([0, 0], [window]);
    left!.hit(1);
    right!.at(START_MS + 50).hit(1);
    left!.at(START_MS + 50).joinAll(right!.sent());
    expect(left!.view(1)).toEqual([2, WINDOW_MS]);
    left!.replicas.drop(left!.replicas.indexOf("replica-1"));
    expect(left!.view(1)).toEqual([1, WINDOW_MS - 50]);

    const [third, fourth] = fleet([0, 0], [window]);
    fourth!.hit(1);
    third!.joinAll(fourth!.sent());
    third!.replicas.drop(third!.replicas.indexOf("replica-1"));
    third!.at(START_MS + 1_000).hit(1);
    expect(third!.sent()).toMatchObject([{ opener: "replica-0", period: START_MS + 1_000 }]);
  });

  it("that opened at once have the same order on all replicas, by opener", () => {
    const members = fleet([0, 250, -9_999], [window]);
    for (const member of members) member.hit(1);
    meet(members);
    for (const member of members) member.hit(1);
    const newest = members.map((member) => member.sent()[0]!.opener);
    expect(new Set(newest).size).toBe(1);
    meet(members);
    expect(members.map((member) => member.held(1))).toEqual([6, 6, 6]);
  });
});

describe("components", () => {
  for (const policy of [window, slidingWindow({ limit: 10, windowMs: WINDOW_MS, slots: 8 })]) {
    const unit = policy.kind === "slidingWindow" ? 1_000 : 1;

    it(`of different replicas add up, and of one replica the larger count stays: ${policy.kind}`, () => {
      const [one, two, three] = fleet([0, 0, 0], [policy]);
      one!.hit(1, 5);
      two!.hit(1, 5);
      three!.joinAll([...one!.sent(), ...two!.sent(), ...one!.sent()]);
      expect(three!.held(1)).toBe(10 * unit);
      one!.hit(1, 1);
      three!.joinAll(one!.sent());
      expect(three!.held(1)).toBe(11 * unit);
    });

    it(`counted after an eviction are separate from earlier ones: ${policy.kind}`, () => {
      const [left, right] = fleet([0, 0], [policy]);
      left!.hit(1, 5);
      right!.joinAll(left!.sent());
      expect(left!.evict(1)).toBe(true);
      left!.hit(1, 2);
      right!.joinAll(left!.sent());
      expect(right!.held(1)).toBe(7 * unit);
      expect(left!.sent()[0]).toMatchObject({ generation: 1, hits: 2 });
    });
  }

  it("of a log start again after an eviction, and are separate from the old ones", () => {
    const [left, right] = fleet([0, 0], [slidingLog({ limit: 10, windowMs: WINDOW_MS })]);
    left!.hit(1, 5);
    right!.joinAll(left!.sent());
    left!.evict(1);
    left!.hit(1, 2);
    right!.joinAll(left!.sent());
    expect(right!.held(1)).toBe(7);
  });

  it("with more refunds than hits, of the receiver itself, or of no replica are not merged", () => {
    const [left, right] = fleet([0, 0], [window]);
    left!.hit(1, 5);
    const [sent] = left!.sent();
    expect(right!.join({ ...sent!, refunds: 6 })).toBe(false);
    expect(right!.join({ ...sent!, policy: 1 })).toBe(false);
    expect(left!.join({ ...sent!, hits: 99 })).toBe(false);
    for (const unknown of [{ replica: NO_REPLICA }, { opener: NO_REPLICA }]) {
      expect(right!.store.join({ ...sent!, replica: 1, opener: 1, ...unknown })).toBe(false);
    }
    expect([left!.held(1), right!.held(1)]).toEqual([5, 0]);
  });
});
