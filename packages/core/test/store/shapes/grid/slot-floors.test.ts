/** Slots come again when the cluster's time steps back, and what was counted in them must not. */

import { describe, expect, it } from "vitest";
import { blankComponent } from "../../../../src/crdt/component.ts";
import { tokenBucket } from "../../../../src/index.ts";
import { Replicas } from "../../../../src/store/replicas/replicas.ts";
import { SlotFloors } from "../../../../src/store/shapes/grid/slot-floors.ts";
import { numberOf } from "../../../../src/store/table/record-id.ts";
import { fleet, type Member, START_MS } from "../../fleet.ts";

/** Slots of 1,024 ms. What leaks out of it in an hour is not worth mentioning. */
const slow = tokenBucket({ capacity: 100, refillPerSecond: 0.000_001 });
const AHEAD_MS = 600_000;

/** Hits that are in the bucket, but for what has leaked out of it. */
function hitsIn(member: Member): number {
  return Math.ceil(member.held(1) / 1_000);
}

/** Takes a member ten minutes ahead, and back to when it was there before. */
function goAndComeBack(...members: readonly Member[]): void {
  for (const member of members) {
    member.at(START_MS + 1_000, START_MS + AHEAD_MS).held(1);
    member.at(START_MS + 2_000);
  }
}

describe("a bucket after the cluster's time has stepped back by minutes", () => {
  it("does not count repeated hits", () => {
    const [one, two] = fleet([0, 0], [slow]);
    two!.hit(1, 5);
    const told = two!.sent();
    one!.joinAll(told);
    goAndComeBack(one!);
    one!.joinAll(told);
    expect(hitsIn(one!)).toBe(5);
  });

  it("does not count them when time reaches those slots again", () => {
    const [one, two] = fleet([0, 0], [slow]);
    for (const member of [one!, two!]) member.at(START_MS, START_MS + AHEAD_MS);
    two!.hit(1, 5);
    const told = two!.sent();
    one!.joinAll(told);
    // The key is not checked until then.
    one!.at(START_MS + 1_000);
    one!.at(START_MS + AHEAD_MS);
    one!.joinAll(told);
    expect(hitsIn(one!)).toBe(5);
  });

  it("counts the hits of a replica that has not stepped back", () => {
    const [one, two] = fleet([0, 0], [slow]);
    two!.hit(1, 5);
    one!.joinAll(two!.sent());
    goAndComeBack(one!);
    two!.at(START_MS + 2_000).hit(1, 3);
    one!.joinAll(two!.sent());
    expect(hitsIn(one!)).toBe(8);
  });

  it("counts the hits of a replica that has stepped back, also in slots that it counted in before", () => {
    const [one, two, three] = fleet([0, 0, 0], [slow]);
    two!.at(START_MS + 2_000).hit(1, 5);
    const before = two!.sent();
    for (const member of [one!, three!]) member.at(START_MS + 2_000).joinAll(before);
    goAndComeBack(one!, two!);
    two!.hit(1, 3);
    for (const member of [one!, three!]) member.joinAll([...two!.sent(), ...before]);
    expect([one!, two!, three!].map(hitsIn)).toEqual([8, 8, 8]);
  });

  it("counts no hits of a merged level again, but counts hits after the step", () => {
    const [one, two, three] = fleet([0, 0, 0], [slow]);
    two!.hit(1, 5);
    const told = two!.sent();
    three!.joinAll(told);
    for (const member of [one!, three!]) member.at(START_MS + 1_000, START_MS + AHEAD_MS);
    const level = three!.store.checkpoints.of(numberOf(three!.store.find(1, ~1)), 0)!;
    one!.store.checkpoints.join(0, one!.replicas.indexOf("replica-2"), level);
    one!.at(START_MS + 2_000).joinAll(told);
    expect(hitsIn(one!)).toBe(5);
    two!.at(START_MS + 8_000).hit(1, 3);
    one!.at(START_MS + 8_000).joinAll(two!.sent());
    expect(hitsIn(one!)).toBe(8);
  });

  it("handles several steps back", () => {
    const [one, two] = fleet([0, 0], [slow]);
    const told = [];
    for (let time = 0; time < 5; time++) {
      two!.hit(1, 1);
      told.push(...two!.sent());
      one!.joinAll(told);
      goAndComeBack(one!, two!);
    }
    one!.joinAll(told);
    expect([one!, two!].map(hitsIn)).toEqual([5, 5]);
  });

  it("holds as much as before, however little of it has been folded", () => {
    const [one] = fleet([0], [tokenBucket({ capacity: 100, refillPerSecond: 10 })]);
    one!.at(START_MS, START_MS + AHEAD_MS).hit(1, 100);
    const before = one!.held(1);
    expect(one!.at(START_MS + 1).held(1)).toBeGreaterThan(before - 6_000);
    expect(one!.held(1)).toBeLessThanOrEqual(before);
  });

  it("refunds nothing of a slot that counts other hits now", () => {
    const [one] = fleet([0], [slow]);
    one!.at(START_MS + 2_000).hit(1, 5);
    goAndComeBack(one!);
    const before = hitsIn(one!);
    one!.refund(1, 5);
    expect(hitsIn(one!)).toBe(before);
  });

  it("does not merge its own counts under a former id", () => {
    const [one] = fleet([0], [slow]);
    one!.hit(1, 5);
    const told = one!.sent();
    const former = one!.replicas.renameSelf("replica-new");
    one!.store.versions.disown({ replica: former, originMs: 0 });
    goAndComeBack(one!);
    one!.joinAll(told);
    expect(hitsIn(one!)).toBe(5);
  });
});

it("counts from before a step belong to a replica, not to the next one with its index", () => {
  const replicas = new Replicas("self");
  const floors = new SlotFloors(replicas, 1_000);
  const gone = replicas.indexOf("gone");
  const heard = { ...blankComponent(), replica: gone, period: 50 };
  floors.received(gone, 0, 60);
  floors.step(1, 60_000, { now: 1, clusterNow: 1_000 });
  expect(floors.isFolded(heard, 2)).toBe(true);
  replicas.drop(gone);
  replicas.reclaim([gone]);
  expect([replicas.indexOf("newcomer"), floors.isFolded(heard, 2)]).toEqual([gone, false]);
});
