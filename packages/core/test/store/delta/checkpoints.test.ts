/** A bucket's level outlives its slots, and reaches replicas that were away for longer than those. */

import { describe, expect, it } from "vitest";
import { tokenBucket } from "../../../src/index.ts";
import { GridShape } from "../../../src/store/shapes/grid/grid-shape.ts";
import { numberOf } from "../../../src/store/table/record-id.ts";
import { fleet, type Member, START_MS } from "../fleet.ts";

/** Slots of 512 ms, of which a little more than four seconds are kept apart. */
const bucket = tokenBucket({ capacity: 100, refillPerSecond: 10 });
const SLOT_MS = 512;
/** What it loses each slot, in thousandths of a hit. */
const LEAK = 5_120;

function shapeOf(member: Member): GridShape {
  const [shape] = member.store.shapes;
  expect(shape).toBeInstanceOf(GridShape);
  return shape as GridShape;
}

function checkpointOf(member: Member) {
  return shapeOf(member).checkpoint(numberOf(member.store.find(1, ~1)), member.store.clusterNow);
}

function joinCheckpoint(member: Member, heard: ReturnType<typeof checkpointOf>): boolean {
  const id = numberOf(member.store.find(1, ~1) || member.store.insert(1, ~1));
  return shapeOf(member).joinCheckpoint(id, heard, member.store.clusterNow);
}

describe("a saturated bucket", () => {
  it("stays full after the retention, when its checkpoint is merged", () => {
    const [busy, newcomer] = fleet([0, 0], [bucket]);
    busy!.hit(1, 100);
    let now = START_MS;
    for (; now < START_MS + 20_000; now += 1_000) busy!.at(now).hit(1, 10);
    newcomer!.at(now).joinAll(busy!.at(now).sent());
    expect(newcomer!.held(1)).toBeLessThan(70_000);
    expect(joinCheckpoint(newcomer!, checkpointOf(busy!))).toBe(true);
    expect(newcomer!.held(1)).toBe(busy!.held(1));
    expect(newcomer!.held(1)).toBeGreaterThan(90_000);
  });

  it("keeps its level over any number of slots without a check", () => {
    const [busy] = fleet([0], [bucket]);
    busy!.hit(1, 100);
    expect(busy!.at(START_MS + 9 * SLOT_MS).held(1)).toBe(100_000 - 9 * LEAK);
  });
});

describe("a checkpoint after the same slot", () => {
  it("replaces the own one only if it is higher", () => {
    const [member] = fleet([0, 0], [bucket]);
    member!.hit(1, 100);
    member!.at(START_MS + 9 * SLOT_MS);
    const own = checkpointOf(member!);
    expect(joinCheckpoint(member!, { ...own, level: own.level - 1_000 })).toBe(false);
    expect(joinCheckpoint(member!, { ...own, level: own.level + 1_000 })).toBe(true);
  });
});

describe("a checkpoint after another slot", () => {
  it("is folded forward first if it is older, and never merged unchanged", () => {
    const [member] = fleet([0, 0], [bucket]);
    member!.hit(1, 100);
    member!.at(START_MS + 12 * SLOT_MS);
    const own = checkpointOf(member!);
    const older = { slot: own.slot - 3, level: own.level + 3 * LEAK - 750 };
    // Three slots drain more than that, so that the larger number is the lower level.
    expect(joinCheckpoint(member!, older)).toBe(false);
    const higher = { ...older, level: own.level + 3 * LEAK + 1_250 };
    const before = member!.held(1);
    expect(joinCheckpoint(member!, higher)).toBe(true);
    expect(member!.held(1)).toBe(before + 1_250);
  });

  it("is merged with the own one folded forward if it is newer", () => {
    const [member] = fleet([0, 0], [bucket]);
    member!.hit(1, 100);
    member!.at(START_MS + 10 * SLOT_MS).hit(1, 7);
    const own = checkpointOf(member!);
    const slot = own.slot + 2;
    const level = drain(own.level, 2);
    expect(joinCheckpoint(member!, { slot, level: level - 1 })).toBe(false);
    const before = member!.held(1);
    expect(joinCheckpoint(member!, { slot, level: level + 5_000 })).toBe(true);
    expect(member!.held(1)).toBe(before + 5_000);
  });

  it("does not count later reports of the slots in it again", () => {
    const [ahead, behind, writer] = fleet([0, 0, 0], [bucket]);
    writer!.hit(1, 90);
    const told = writer!.sent();
    ahead!.joinAll(told);
    ahead!.at(START_MS + 10 * SLOT_MS);
    behind!.at(START_MS + 8 * SLOT_MS);
    expect(joinCheckpoint(behind!, checkpointOf(ahead!))).toBe(true);
    const before = behind!.held(1);
    behind!.joinAll(told);
    expect(behind!.held(1)).toBe(before);
    // What it tells itself has those slots in it as well.
    const [third] = fleet([0], [bucket]);
    third!.at(START_MS + 8 * SLOT_MS).joinAll(told);
    joinCheckpoint(third!, checkpointOf(behind!));
    expect(third!.held(1)).toBe(before);
    writer!.at(START_MS + 8 * SLOT_MS).hit(1, 5);
    behind!.joinAll(writer!.sent());
    expect(behind!.held(1)).toBe(before + 5_000);
  });

  it("contains no hits that are counted in the same slots after a reset", () => {
    const [ahead, behind, writer] = fleet([0, 0, 0], [bucket]);
    writer!.hit(1, 90);
    ahead!.joinAll(writer!.sent());
    ahead!.at(START_MS + 10 * SLOT_MS);
    for (const member of [behind!, writer!]) member.at(START_MS + SLOT_MS);
    behind!.at(START_MS + 8 * SLOT_MS);
    joinCheckpoint(behind!, checkpointOf(ahead!));
    const reset = behind!.reset(1);
    writer!.store.resets.join(1, ~1, reset);
    writer!.hit(1, 70);
    behind!.joinAll(writer!.sent());
    expect(behind!.held(1)).toBeGreaterThan(0);
  });

  it("contains the slots that are folded while it is on its way", () => {
    const [publisher, newcomer] = fleet([0, 0], [bucket]);
    publisher!.hit(1, 100);
    publisher!.at(START_MS + SLOT_MS).hit(1, 70);
    // Now the 70 are in the oldest slot that is kept apart.
    const told = START_MS + 10 * SLOT_MS;
    newcomer!.at(told).joinAll(publisher!.at(told).sent());
    const level = checkpointOf(publisher!);
    const heard = told + SLOT_MS;
    expect(newcomer!.at(heard).held(1)).toBeGreaterThan(0);
    expect(joinCheckpoint(newcomer!, level)).toBe(true);
    expect(newcomer!.held(1)).toBe(publisher!.at(heard).held(1));
  });

  it("is not merged when its slot is in the future", () => {
    const [member] = fleet([0, 0], [bucket]);
    member!.hit(1, 1);
    const slot = checkpointOf(member!).slot + 100;
    expect(joinCheckpoint(member!, { slot, level: 9e6 })).toBe(false);
  });
});

describe("the levels of folded slots", () => {
  it("are not published for three minutes after the cluster's time steps back", () => {
    const [member] = fleet([0], [bucket]);
    member!.at(START_MS, START_MS + 600_000).hit(1, 100);
    const told = (): number | undefined => {
      // It would be empty by then.
      member!.hit(1, 50);
      return member!.store.checkpoints.of(numberOf(member!.store.find(1, ~1)), 0)?.level;
    };
    expect(told()).toBe(undefined);
    member!.at(START_MS + 5_000, START_MS + 605_000);
    expect(told()).toBeGreaterThan(0);
    member!.at(START_MS + 10_000);
    expect(told()).toBe(undefined);
    member!.at(START_MS + 189_999);
    expect(told()).toBe(undefined);
    member!.at(START_MS + 190_000).hit(1, 50);
    member!.at(START_MS + 195_000);
    expect(told()).toBeGreaterThan(0);
  });
});

function drain(level: number, slots: number): number {
  return level - 10 * SLOT_MS * slots;
}
