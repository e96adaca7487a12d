import { describe, expect, it } from "vitest";
import { concurrency } from "../../../src/policies/concurrency.ts";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { slidingWindow } from "../../../src/policies/sliding-window.ts";
import { Fleet, type FleetReplica } from "../fleet.ts";

const MINUTE = 60_000;
const policies = [slidingWindow({ limit: 100, windowMs: MINUTE, slots: 6 })];

function hit(replica: FleetReplica, times: number): void {
  for (let time = 0; time < times; time++) replica.limiter.check("ada");
}

/** How far the cluster's times of all replicas are from true time, to what a frame may travel. */
function errors(fleet: Fleet): number[] {
  return fleet.replicas.map((replica) => {
    return Math.round(Math.abs(replica.clusterNow() - fleet.wallMs) / 10);
  });
}

describe.each([
  ["ahead", 10 * MINUTE],
  ["behind", -10 * MINUTE],
])("a clock ten minutes %s", (_, wrongMs) => {
  it("does not move the one that has been up longer, and follows it", () => {
    const fleet = new Fleet({ policies });
    const elder = fleet.add();
    fleet.pass(5_000);
    hit(elder, 60);
    const newcomer = fleet.add({ aheadMs: wrongMs });
    fleet.pass(3_000);
    expect(errors(fleet)).toEqual([0, 0]);
    hit(newcomer, 10);
    fleet.pass(1_000);
    expect(fleet.replicas.map((replica) => replica.view("ada"))).toEqual([[70], [70]]);
  });

  it("does not move the right clocks, and is reported at all of them", () => {
    const fleet = new Fleet({ policies });
    const [first, wrong, third] = [fleet.add(), fleet.add({ aheadMs: wrongMs }), fleet.add()];
    fleet.pass(5_000);
    expect(errors(fleet)).toEqual([0, 0, 0]);
    const id = wrong.replica.replicas.selfId;
    const said = `600.0 s ${wrongMs > 0 ? "ahead of" : "behind"} the cluster's`;
    expect(first.troubles).toContain(`the clock of replica ${id} is ${said}: set it`);
    expect(third.troubles).toContain(`the clock of replica ${id} is ${said}: set it`);
    expect(wrong.troubles).toContain(`the clock of this process is ${said}, which is used: set it`);
    for (const { troubles } of fleet.replicas) {
      expect(new Set(troubles).size).toBe(troubles.length);
    }
  });

  it("counts into the slots of the others from the first frame that it receives", () => {
    const fleet = new Fleet({ policies });
    fleet.add();
    fleet.add();
    fleet.pass(5_000);
    const newcomer = fleet.add({ aheadMs: wrongMs });
    fleet.pass(30);
    hit(newcomer, 10);
    fleet.pass(2_000);
    expect(fleet.replicas.map((replica) => replica.view("ada"))).toEqual([[10], [10], [10]]);
  });

  it("is not followed by joining replicas, in whatever order they receive frames", () => {
    const fleet = new Fleet({ policies, delayMs: 5 });
    for (const clockMs of [0, wrongMs, 0, 0]) fleet.add({ aheadMs: clockMs });
    fleet.pass(5_000);
    for (let newcomer = 1; newcomer <= 20; newcomer++) {
      const { replica } = fleet.add();
      for (let ms = 0; ms < 200; ms++) {
        fleet.pass(1);
        if (replica.members.size > 2) expect(errors(fleet).at(-1)).toBeLessThan(10);
      }
    }
  });
});

describe("a clock that is right", () => {
  it("is reported by no replica that has received only old frames of it", () => {
    const fleet = new Fleet({ policies });
    const [one] = [fleet.add(), fleet.add()];
    fleet.pass(5_000);
    const sent: Uint8Array[] = [];
    fleet.network.taps.add((from, frame) => from !== one.process || sent.push(frame.slice()) > 0);
    fleet.pass(3_000);
    const newcomer = fleet.add();
    fleet.network.cut(one.process, newcomer.process);
    newcomer.process.receive(sent[0]!);
    fleet.pass(1_500);
    fleet.network.heal();
    fleet.pass(5_000);
    expect(fleet.replicas.flatMap(({ troubles }) => troubles)).toEqual([]);
  });
});

describe("replicas whose clock was the cluster's, after more replicas have joined", () => {
  it("go back to the others' time with all that they have counted", () => {
    const fleet = new Fleet({
      policies: [slidingWindow({ limit: 100, windowMs: 60 * MINUTE, slots: 12 })],
    });
    const wrong = [fleet.add({ aheadMs: 3 * MINUTE }), fleet.add({ aheadMs: 3 * MINUTE })];
    fleet.pass(5_000);
    for (const replica of wrong) hit(replica, 30);
    fleet.pass(1_000);
    for (let right = 0; right < 3; right++) fleet.add();
    fleet.pass(5_000);
    expect(errors(fleet)).toEqual([0, 0, 0, 0, 0]);
    expect(new Set(fleet.replicas.map((replica) => replica.view("ada")[0]))).toEqual(new Set([60]));
  });
});

describe("two processes that start together", () => {
  it("agree on one clock, whichever it is", () => {
    const fleet = new Fleet({ policies });
    fleet.add({ aheadMs: 0 });
    fleet.add({ aheadMs: 3 * MINUTE });
    fleet.pass(3_000);
    expect(new Set(errors(fleet)).size).toBe(1);
  });
});

describe("a clock that gains a millisecond a second", () => {
  it("does not move the others' time, and is hardly ever 50 ms from it", () => {
    const fleet = new Fleet({ policies });
    for (const drift of [0, 0.001, 0]) fleet.add({ aheadMs: 0, drift: drift });
    for (let minute = 0; minute < 10; minute++) {
      fleet.pass(MINUTE);
      const [first, , third] = errors(fleet);
      expect([first, third]).toEqual([0, 0]);
      // What it gains in the 16 s that are looked at, and while that is corrected slowly.
      expect(errors(fleet)[1]).toBeLessThan(5);
      hit(fleet.replicas[1]!, 10);
      fleet.pass(1_000);
      expect(new Set(fleet.replicas.map((replica) => replica.view("ada")[0]))).toEqual(
        new Set([10]),
      );
      fleet.pass(MINUTE);
    }
  });
});

describe("a machine that was suspended", () => {
  it("has the others' time again within seconds, with all that was counted before and since", () => {
    const fleet = new Fleet({ policies });
    const [one, two] = [fleet.add(), fleet.add(), fleet.add()];
    fleet.pass(5_000);
    hit(two, 10);
    fleet.pass(1_000);
    fleet.simulated.time.after(29_900, () => hit(one, 5));
    fleet.suspend([two], 30_000);
    fleet.pass(5_000);
    expect(errors(fleet)).toEqual([0, 0, 0]);
    hit(two, 3);
    fleet.pass(1_000);
    expect(fleet.replicas.map((replica) => replica.view("ada"))).toEqual([[18], [18], [18]]);
    expect(one.troubles.join()).toContain("30.0 s behind the cluster's");
  });
});

describe("a joining replica that knows a suspended machine from reports alone", () => {
  it.each([100, 700, 1_500])("receives it as soon as it can, %i ms after it resumed", (afterMs) => {
    const fleet = new Fleet({
      policies: [fixedWindow({ limit: 1_000, windowMs: 60 * MINUTE }), concurrency({ limit: 100 })],
    });
    const [suspended, one, two] = [fleet.add(), fleet.add(), fleet.add()];
    fleet.pass(5_000);
    hit(suspended, 10);
    fleet.pass(2_000);
    fleet.suspend([suspended], 10 * MINUTE);
    fleet.pass(afterMs);
    const newcomer = fleet.add();
    fleet.network.cut(suspended.process, newcomer.process);
    fleet.pass(1_500);
    fleet.network.heal();
    hit(suspended, 1);
    fleet.pass(5_000);
    for (const replica of [suspended, one, two, newcomer])
      expect(replica.view("ada")).toEqual([11, 11]);
  });
});
