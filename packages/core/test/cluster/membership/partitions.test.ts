import { beforeEach, describe, expect, it } from "vitest";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { Fleet, type FleetReplica } from "../fleet.ts";

const policies = [fixedWindow({ limit: 1_000, windowMs: 3_600_000 })];
/** In which each replica must have noticed that it is partitioned, or is not any more. */
const NOTICED_MS = 10_000;

let fleet: Fleet;

beforeEach(() => {
  fleet = new Fleet({ policies });
});

/** So many replicas on each of two sides, none of which receives the other side. */
function sides(...sizes: readonly number[]): readonly FleetReplica[][] {
  const split = sizes.map((size) => Array.from({ length: size }, () => fleet.add()));
  fleet.pass(3_000);
  return split;
}

function cut([near = [], far = []]: readonly FleetReplica[][]): void {
  for (const one of near) for (const other of far) fleet.separate(one, other);
}

function degraded(replicas: readonly FleetReplica[]): boolean[] {
  return replicas.map(({ replica }) => replica.partitionDetector.isPartitioned);
}

describe("a partition", () => {
  it.each([
    [1, 1, true, true],
    [3, 3, true, true],
    [1, 3, true, false],
  ])(
    "of %i and %i is noticed where half of the others are silent, until it is over",
    (near, far, nearIs, farIs) => {
      const split = sides(near, far);
      cut(split);
      fleet.pass(NOTICED_MS);
      const expected = [Array(near).fill(nearIs), Array(far).fill(farIs)];
      expect(split.map(degraded)).toEqual(expected);
      fleet.pass(5_000);
      expect(split.map(degraded)).toEqual(expected);
      fleet.network.heal();
      fleet.pass(NOTICED_MS);
      expect(split.flatMap(degraded)).not.toContain(true);
    },
  );

  it("is still noticed after restarts on the far side, and ends with the replacements", () => {
    const split = sides(3, 3);
    const [near, far] = split as [FleetReplica[], FleetReplica[]];
    cut(split);
    for (const replica of far.splice(0, 2)) {
      fleet.crash(replica);
      far.push(fleet.add());
      cut(split);
    }
    fleet.pass(NOTICED_MS);
    expect(degraded(near)).toEqual([true, true, true]);
    fleet.network.heal();
    fleet.pass(NOTICED_MS);
    expect(degraded(fleet.replicas)).not.toContain(true);
  });
});
