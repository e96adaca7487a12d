import { createLimiter, fixedWindow, type Limiter } from "@tidegate/core";
import { describe, expect, it } from "vitest";
import { type ProcessOptions, SimulatedFleet, type SimulatedProcess } from "../src/index.ts";

const policy = fixedWindow({ limit: 1_000, windowMs: 3_600_000 });

interface Member {
  readonly process: SimulatedProcess;
  readonly limiter: Limiter;
}

function add(fleet: SimulatedFleet, options: Partial<ProcessOptions> = {}): Member {
  const process = fleet.add({ onCold: "open", ...options });
  const limiter = createLimiter({ name: "api", policy, cluster: process.cluster });
  process.open();
  return { process, limiter };
}

/** A history in which much goes wrong; returns what it sent, and what all see in the end. */
function history(seed: number): { digest: string; seen: number[]; cut: number; slices: number } {
  const fleet = new SimulatedFleet(seed, { loss: 0.2, duplicate: 0.1, delayMs: 20 });
  const random = fleet.streams("history");
  const slicesPerTurn = (): number => Math.floor(random() * 3);
  const members = [0, 1, 2, 3].map((index) =>
    add(fleet, {
      slicesPerTurn,
      sliceMs: 0.05,
      clock: { aheadMs: index * 137, drift: (index - 1.5) * 1e-4 },
    }),
  );
  for (let step = 0; step < 300; step++) {
    const member = members[Math.floor(random() * members.length)]!;
    if (random() < 0.03) member.process.setBusy(random() < 0.5);
    member.process.run(() => member.limiter.check(`key ${Math.floor(random() * 50)}`));
    fleet.pass(random() * 40);
  }
  for (const { process } of members) process.setBusy(false);
  fleet.network.change({});
  fleet.pass(30_000);
  const seen = members.map(({ limiter }) => {
    let sum = 0;
    for (let key = 0; key < 50; key++) sum += limiter.peek(`key ${key}`).used;
    return sum;
  });
  const total = (name: "cutTurns" | "slices"): number =>
    members.reduce((sum, { process }) => sum + process[name], 0);
  return { digest: fleet.network.digest(), seen, cut: total("cutTurns"), slices: total("slices") };
}

describe("a simulated fleet", () => {
  it("agrees on every hit, whatever was lost, cut short and late", () => {
    const { seen, cut, slices } = history(1);
    expect(seen).toEqual([300, 300, 300, 300]);
    expect(cut).toBeGreaterThan(1_000);
    expect(slices).toBeGreaterThan(cut);
  });

  it("sends the same bytes when a seed is run again, and others from another seed", () => {
    const [once, again, other] = [history(7), history(7), history(8)];
    expect(again).toEqual(once);
    expect(other.digest).not.toBe(once.digest);
  });

  it("is joined by a process that asks for what was counted before", () => {
    const fleet = new SimulatedFleet(3, { delayMs: 2 });
    const one = add(fleet);
    fleet.pass(1_000);
    for (let hit = 0; hit < 40; hit++) one.limiter.check("ada");
    fleet.pass(2_000);
    const late = add(fleet);
    fleet.pass(2_000);
    expect(late.limiter.peek("ada").used).toBe(40);
    expect(late.process.cluster.status().isReady).toBe(true);
  });

  it("is left in order, with all that was counted", async () => {
    const fleet = new SimulatedFleet(4, { delayMs: 2 });
    const [one, two] = [add(fleet), add(fleet)];
    fleet.pass(3_000);
    one.limiter.check("ada", 5);
    one.process.leave();
    fleet.pass(1_000);
    expect([one.process.isOver, two.limiter.peek("ada").used]).toEqual([true, 5]);
    expect(two.process.cluster.status().peers).toMatchObject([{ isAlive: false }]);
  });
});
