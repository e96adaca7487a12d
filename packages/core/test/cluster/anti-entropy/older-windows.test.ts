import { describe, expect, it } from "vitest";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { Fleet, type FleetReplica } from "../fleet.ts";

const HOUR = 3_600_000;
const policies = [fixedWindow({ limit: 1_000_000, windowMs: HOUR })];

/** What a replica sends while time passes. */
function bytesSent(fleet: Fleet, { replica }: FleetReplica, ms: number): number {
  const before = replica.sender.bytes;
  fleet.pass(ms);
  return replica.sender.bytes - before;
}

describe("own hits of a window that is not the newest any more", () => {
  it("leave once after they have changed, and again for a replica that has missed them", () => {
    const fleet = new Fleet({ policies });
    const [first, second] = [fleet.add(), fleet.add()];
    fleet.pass(5_000);
    // Both open windows, a second apart, and go on in the newer one.
    fleet.network.cut(first.process, second.process);
    fleet.network.cut(second.process, first.process);
    const decision = first.limiter.check("ada", 5);
    fleet.pass(1_000);
    second.limiter.check("ada", 3);
    fleet.pass(200);
    fleet.network.heal();
    fleet.pass(3_000);
    first.limiter.check("ada");
    fleet.pass(1_000);
    expect([first.view("ada"), second.view("ada")]).toEqual([[9], [9]]);

    first.limiter.check("ada");
    const sent = bytesSent(fleet, first, 1_000);
    first.limiter.refund("ada", 2, decision);
    first.limiter.check("ada");
    const sentBoth = bytesSent(fleet, first, 1_000);
    expect(sentBoth - sent).toBeGreaterThan(5);
    first.limiter.check("ada");
    expect(bytesSent(fleet, first, 1_000)).toBe(sent);
    expect([first.view("ada"), second.view("ada")]).toEqual([[10], [10]]);

    const newcomer = fleet.add();
    fleet.pass(3_000);
    expect(newcomer.view("ada")).toEqual([10]);
  });
});

describe("counts of other replicas", () => {
  it("are not sent by all that have them, when a silent replica is received again", () => {
    const fleet = new Fleet({ policies });
    const replicas = [fleet.add(), fleet.add(), fleet.add(), fleet.add()];
    const [away, ...others] = replicas;
    fleet.pass(5_000);
    for (const { limiter } of replicas) {
      for (let key = 0; key < 500; key++) limiter.check(`key ${key}`);
      fleet.pass(1_000);
    }
    fleet.pass(10_000);
    for (const other of others) {
      fleet.network.cut(away!.process, other.process);
      fleet.network.cut(other.process, away!.process);
    }
    fleet.pass(5_000);
    fleet.network.heal();
    const before = replicas.map(({ replica }) => replica.sender.bytes);
    fleet.pass(10_000);
    replicas.forEach(({ replica }, index) => {
      expect(replica.sender.bytes - before[index]!).toBeLessThan(5_000);
    });
  });
});

describe("the time of the last frame of a dead replica", () => {
  it("is when it sent that frame, although another replica relayed it later", () => {
    const fleet = new Fleet({ policies });
    const [late, helper, gone] = [fleet.add(), fleet.add(), fleet.add()];
    fleet.pass(5_000);
    fleet.network.cut(gone.process, late.process);
    gone.limiter.check("ada", 5);
    fleet.pass(1_200);
    const endedAtMs = gone.clock.now();
    fleet.crash(gone);
    fleet.pass(3_000);
    expect(late.view("ada")).toEqual([5]);

    const newcomer = fleet.add();
    fleet.network.cut(helper.process, newcomer.process);
    fleet.pass(1_000);
    const { selfId } = gone.replica.replicas;
    expect(newcomer.replica.members.find(selfId)!.lastReceivedMs).toBeLessThanOrEqual(endedAtMs);
  });
});

describe("a hit that is counted while a reply waits", () => {
  it("is published to all before the reply has it, in case its sender crashes", () => {
    const fleet = new Fleet({ policies });
    const [one, other] = [fleet.add(), fleet.add()];
    fleet.pass(5_000);
    one.limiter.check("ada");
    fleet.pass(500);
    one.process.setBusy(true);
    const newcomer = fleet.add();
    fleet.pass(500);
    one.limiter.check("ada", 5);
    one.process.setBusy(false);
    fleet.pass(2);
    fleet.crash(one);
    fleet.pass(10_000);
    expect([other.view("ada"), newcomer.view("ada")]).toEqual([[6], [6]]);
  });
});
