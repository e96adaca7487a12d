import { describe, expect, it } from "vitest";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { slidingWindow } from "../../../src/policies/sliding-window.ts";
import { Fleet, type FleetOptions, type FleetReplica } from "../fleet.ts";

const MINUTE = 60_000;
/** In which a replica must come back, or report that it is degraded. */
const NOTICED_MS = 10_000;
const SECRET = { secret: "a secret of these processes" };
const policies = [
  fixedWindow({ limit: 1_000, windowMs: MINUTE }),
  slidingWindow({ limit: 1_000, windowMs: 2 * MINUTE, slots: 4 }),
];

let fleet: Fleet;

function fleetOf(size: number, options: Partial<FleetOptions> = SECRET): FleetReplica[] {
  fleet = new Fleet({ policies, ...options });
  const replicas = Array.from({ length: size }, () => fleet.add());
  fleet.pass(5_000);
  return replicas;
}

/** Time passes everywhere but on some machines, whose wall clocks are right when they resume. */
function suspend(ms: number, ...suspended: readonly FleetReplica[]): void {
  fleet.suspend(suspended, ms);
}

function idOf({ replica }: FleetReplica): string {
  return replica.replicas.selfId;
}

function degraded(): boolean[] {
  return fleet.replicas.map(({ replica }) => replica.partitionDetector.isPartitioned);
}

/** What all see of a key that each counts once more. */
function countedTogether(key: string): number[] {
  for (const replica of fleet.replicas) replica.limiter.check(key);
  fleet.pass(2_000);
  return fleet.replicas.map((replica) => replica.view(key)[0]!);
}

describe("a machine that was suspended for 25 minutes, in a cluster with a secret", () => {
  it("comes back under a new id, by the wall clock", () => {
    const [one, two] = fleetOf(3) as [FleetReplica, FleetReplica];
    const [former, other] = [idOf(two), idOf(one)];
    suspend(25 * MINUTE, two);
    fleet.pass(NOTICED_MS);
    expect(countedTogether("ada")).toEqual([3, 3, 3]);
    expect(degraded()).toEqual([false, false, false]);
    expect([idOf(two) === former, idOf(one) === other]).toEqual([false, true]);
    expect(two.troubles.join()).toContain(`is now ${idOf(two)}`);
  });

  it("keeps what it counted before, where that still counts", () => {
    fleet = new Fleet({
      policies: [fixedWindow({ limit: 1_000, windowMs: 60 * MINUTE })],
      ...SECRET,
    });
    const [, two] = [fleet.add(), fleet.add(), fleet.add()];
    fleet.pass(5_000);
    for (let hit = 0; hit < 10; hit++) two.limiter.check("ada");
    suspend(25 * MINUTE, two);
    fleet.pass(NOTICED_MS);
    expect(countedTogether("ada")).toEqual([13, 13, 13]);
  });

  it("is one of two, and the one that has been up longer", () => {
    const [, two] = fleetOf(2) as [FleetReplica, FleetReplica];
    suspend(25 * MINUTE, two);
    fleet.pass(NOTICED_MS);
    expect(countedTogether("ada")).toEqual([2, 2]);
    expect(degraded()).toEqual([false, false]);
  });

  it("suspends all processes but one that starts later", () => {
    fleetOf(3);
    suspend(25 * MINUTE, ...fleet.replicas);
    fleet.pass(2_000);
    fleet.add();
    fleet.pass(NOTICED_MS);
    expect(countedTogether("ada")).toEqual([4, 4, 4, 4]);
    expect(degraded()).toEqual([false, false, false, false]);
  });

  it("reports that it is degraded until its wall clock is right, too", () => {
    const [, two] = fleetOf(3) as [FleetReplica, FleetReplica];
    const former = idOf(two);
    suspend(25 * MINUTE, two);
    two.clock.setWall(-25 * MINUTE);
    fleet.pass(NOTICED_MS);
    expect(degraded()).toEqual([false, true, false]);
    expect(two.troubles.join()).toContain("differ by more than ten minutes");
    two.clock.setWall();
    fleet.pass(NOTICED_MS);
    expect(degraded()).toEqual([false, false, false]);
    expect(countedTogether("ada")).toEqual([3, 3, 3]);
    expect(idOf(two)).not.toBe(former);
  });
});

describe.each([
  ["behind", -20 * MINUTE],
  ["ahead", 20 * MINUTE],
])("a process that starts before its wall clock is set, twenty minutes %s", (_, wrongMs) => {
  it("is degraded, and comes back once the clock is right", () => {
    fleetOf(3);
    const wrong = fleet.add({ aheadMs: wrongMs });
    fleet.pass(NOTICED_MS);
    expect(degraded()).toEqual([false, false, false, true]);
    expect(wrong.troubles.join()).toContain("differ by more than ten minutes");
    wrong.clock.setWall();
    fleet.pass(NOTICED_MS);
    expect(degraded()).toEqual([false, false, false, false]);
    expect(countedTogether("ada")).toEqual([4, 4, 4, 4]);
  });

  it("shares a limit with as many replicas as it refuses", () => {
    fleetOf(3, { ...SECRET, onPartition: "share" });
    const wrong = fleet.add({ aheadMs: wrongMs });
    fleet.pass(NOTICED_MS);
    let passed = 0;
    for (let hit = 0; hit < 1_000; hit++) if (wrong.limiter.check("ada").allowed) passed++;
    expect(passed).toBe(250);
  });
});

describe("a replica keeps its id", () => {
  it("when its wall clock is set to a time that no other replica shows", () => {
    const [one] = fleetOf(3) as [FleetReplica];
    const former = idOf(one);
    one.clock.setWall(2 * 60 * MINUTE);
    fleet.pass(NOTICED_MS);
    expect([idOf(one), degraded()]).toEqual([former, [false, false, false]]);
  });

  it("when it was suspended for less than five minutes", () => {
    const [one] = fleetOf(3) as [FleetReplica];
    const former = idOf(one);
    suspend(4 * MINUTE, one);
    fleet.pass(NOTICED_MS);
    expect(idOf(one)).toBe(former);
    expect(countedTogether("ada")).toEqual([3, 3, 3]);
  });

  it("where there is no secret, and so no clock is refused", () => {
    const [one] = fleetOf(3, {}) as [FleetReplica];
    const former = idOf(one);
    suspend(25 * MINUTE, one);
    fleet.pass(NOTICED_MS);
    expect(idOf(one)).toBe(former);
    expect(countedTogether("ada")).toEqual([3, 3, 3]);
  });
});
