import { describe, expect, it } from "vitest";
import { leakyBucket, tokenBucket } from "../../../src/policies/bucket.ts";
import { Fleet, type FleetReplica } from "../fleet.ts";

/** Slots are kept apart for four seconds; what was counted before that is in the level. */
const FOLDED_MS = 10_000;

const policies = [leakyBucket({ capacity: 100, leakPerSecond: 0.01 })];

function fill(replica: FleetReplica, hits: number): void {
  for (let hit = 0; hit < hits; hit++) replica.limiter.check("ada");
}

function views(fleet: Fleet): number[] {
  return fleet.replicas.map((replica) => replica.view("ada")[0]!);
}

describe("the level of a bucket that was filled long ago", () => {
  it("reaches a replica that joins", () => {
    const fleet = new Fleet({ policies });
    fill(fleet.add(), 90);
    fleet.add();
    fleet.pass(FOLDED_MS);
    const newcomer = fleet.add();
    fleet.pass(1_000);
    expect(views(fleet)).toEqual([90, 90, 90]);
    fill(newcomer, 100);
    expect(newcomer.view("ada")).toEqual([100]);
  });

  it("reaches a replica that counted before it received anything, and others through it", () => {
    const fleet = new Fleet({ policies });
    fill(fleet.add(), 80);
    fleet.add();
    fleet.pass(FOLDED_MS);
    fill(fleet.add(), 1);
    fleet.pass(FOLDED_MS);
    expect(views(fleet)).toEqual([81, 81, 81]);
    for (const elder of fleet.replicas.slice(0, 2)) fleet.crash(elder);
    fill(fleet.add(), 1);
    fleet.pass(FOLDED_MS);
    expect(views(fleet)).toEqual([82, 82]);
  });

  it("reaches a replica that joins, although the one that filled the bucket is dead", () => {
    const fleet = new Fleet({ policies });
    fill(fleet.add(), 90);
    fleet.add();
    fleet.pass(FOLDED_MS);
    fleet.crash(fleet.replicas[0]!);
    fleet.pass(FOLDED_MS);
    fleet.add();
    fleet.pass(1_000);
    expect(views(fleet)).toEqual([90, 90]);
  });

  it("is repaired after a partition that was longer than slots are kept", () => {
    const fleet = new Fleet({ policies });
    const [one, two, three] = [fleet.add(), fleet.add(), fleet.add()];
    fleet.pass(FOLDED_MS);
    for (const [from, to] of [
      [one, three],
      [two, three],
    ] as const) {
      fleet.network.cut(from.process, to.process);
      fleet.network.cut(to.process, from.process);
    }
    fill(one, 40);
    fill(three, 30);
    fleet.pass(2 * FOLDED_MS);
    expect(views(fleet)).toEqual([40, 40, 30]);
    fleet.network.heal();
    fleet.pass(5_000);
    // Of two levels that were counted apart, the larger is certain.
    expect(views(fleet)).toEqual([40, 40, 40]);
  });

  it("does not include what a reset has ended", () => {
    const fleet = new Fleet({ policies });
    const [one] = [fleet.add(), fleet.add()];
    fill(one, 90);
    fleet.pass(FOLDED_MS);
    one.limiter.reset("ada");
    fleet.pass(1_000);
    fleet.add();
    fleet.pass(1_000);
    expect(views(fleet)).toEqual([0, 0, 0]);
  });

  it("is sent for every key, in as many frames as it takes", () => {
    const fleet = new Fleet({
      policies: [tokenBucket({ capacity: 10, refillPerSecond: 0.001 })],
    });
    const one = fleet.add();
    for (let key = 0; key < 9_000; key++) one.limiter.check(`user ${key}`, 1 + (key % 9));
    fleet.pass(FOLDED_MS);
    const newcomer = fleet.add();
    fleet.pass(3_000);
    for (const key of [0, 1, 4_444, 8_999]) {
      expect(newcomer.view(`user ${key}`)).toEqual(one.view(`user ${key}`));
    }
  });
});
