import { describe, expect, it } from "vitest";
import { fixedWindow } from "../../../src/policies/fixed-window.ts";
import { Fleet, type FleetReplica } from "../fleet.ts";

const policies = [fixedWindow({ limit: 1_000_000, windowMs: 600_000 })];

/** Two groups that do not receive each other, and replicas that receive both. */
function fleetOf(some: number, others: number, all: number): Fleet {
  const fleet = new Fleet({ policies, delayMs: 1 });
  const replicas = Array.from({ length: some + others + all }, () => fleet.add());
  fleet.pass(2_000);
  for (const one of replicas.slice(0, some)) {
    for (const other of replicas.slice(some, some + others)) {
      fleet.network.cut(one.process, other.process);
      fleet.network.cut(other.process, one.process);
    }
  }
  return fleet;
}

/** Every replica counts for a key of its own twenty times a second. */
function count(replicas: readonly FleetReplica[], fleet: Fleet, turns: number): void {
  for (let turn = 0; turn < turns; turn++) {
    for (const [number, { limiter }] of replicas.entries()) limiter.check(`${number} ${turn}`);
    fleet.pass(50);
  }
}

/** How many of those keys a replica does not know. */
function missing(replicas: readonly FleetReplica[], turns: number): number[] {
  return replicas.map((replica) => {
    let unknown = 0;
    for (let number = 0; number < replicas.length; number++) {
      for (let turn = 0; turn < turns; turn++) {
        if (replica.view(`${number} ${turn}`)[0] !== 1) unknown++;
      }
    }
    return unknown;
  });
}

/** Ten replicas for twenty seconds are much for a busy machine. */
const TIMEOUT_MS = 30_000;

describe("replicas that do not receive each other while others receive both", {
  timeout: TIMEOUT_MS,
}, () => {
  it.each([
    [1, 1, 1],
    [4, 3, 3],
    [5, 4, 1],
  ])(
    "know each other's counts, with %i and %i in the groups and %i in between",
    (some, others, all) => {
      const fleet = fleetOf(some, others, all);
      const turns = 100;
      count(fleet.replicas, fleet, turns);
      fleet.pass(15_000);
      expect(missing(fleet.replicas, turns)).toEqual(fleet.replicas.map(() => 0));
    },
  );
});
