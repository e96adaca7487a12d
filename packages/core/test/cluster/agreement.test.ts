import { describe, expect, it } from "vitest";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import { Fleet } from "./fleet.ts";

const policies = [fixedWindow({ limit: 100, windowMs: 60_000 })];

describe("replicas of one cluster", () => {
  it("hold one limit together", () => {
    const fleet = new Fleet({ policies });
    const [one, two, three] = [fleet.add(), fleet.add(), fleet.add()];
    fleet.pass(500);
    for (let hit = 0; hit < 40; hit++) {
      one.limiter.check("ada");
      two.limiter.check("ada");
    }
    fleet.pass(300);
    expect(three.view("ada")).toEqual([80]);
    const allowed = Array.from({ length: 30 }, () => three.limiter.check("ada").allowed);
    expect(allowed.filter(Boolean).length).toBe(20);
  });

  it("let a joining replica know what was counted before it joined", () => {
    const fleet = new Fleet({ policies });
    const one = fleet.add();
    fleet.pass(1_000);
    for (let key = 0; key < 20_000; key++) one.limiter.check(`key-${key}`);
    fleet.pass(5_000);
    const late = fleet.add();
    fleet.pass(700);
    expect(late.replica.initialSync.isOver).toBe(true);
    for (let key = 0; key < 20_000; key += 997) expect(late.view(`key-${key}`)).toEqual([1]);
  });

  it("keep the counts of replicas that have all been replaced since", () => {
    const fleet = new Fleet({ policies, delayMs: 1 });
    let generation = [fleet.add(), fleet.add()];
    fleet.pass(1_000);
    for (let turn = 1; turn <= 4; turn++) {
      for (const replica of generation) replica.limiter.check("ada", 10);
      const next = [fleet.add(), fleet.add()];
      fleet.pass(500);
      expect(next.map(({ replica }) => replica.initialSync.isOver)).toEqual([true, true]);
      for (const { process } of generation) process.leave();
      fleet.pass(200);
      expect(next.map((replica) => replica.view("ada"))).toEqual([[20 * turn], [20 * turn]]);
      generation = next;
    }
  });

  it("recover lost counts, those of the last frame included", () => {
    const fleet = new Fleet({ policies });
    const [one, two] = [fleet.add(), fleet.add()];
    fleet.pass(1_000);
    fleet.network.cut(one.process, two.process);
    one.limiter.check("ada", 7);
    fleet.pass(300);
    fleet.network.heal();
    expect(two.view("ada")).toEqual([0]);
    fleet.pass(1_300);
    expect(two.view("ada")).toEqual([7]);
  });

  it("agree although their clocks differ", () => {
    const fleet = new Fleet({ policies, delayMs: 5 });
    const replicas = [0, 600_000, -600_000].map((clockMs) => fleet.add({ aheadMs: clockMs }));
    fleet.pass(3_000);
    for (const replica of replicas) replica.limiter.check("ada", 2);
    fleet.pass(500);
    expect(replicas.map((replica) => replica.view("ada"))).toEqual([[6], [6], [6]]);
    const ends = replicas.map(({ limiter }) => limiter.peek("ada").resetMs);
    expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(20);
  });
});
