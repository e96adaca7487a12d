import { concurrency, createLimiter, fixedWindow, type Policy } from "@tidegate/core";
import { SmallFleet } from "@tidegate/simulator/exploration";
import { describe, expect, it } from "vitest";
import { SteppedReplica } from "../../src/cluster/stepped-cluster.ts";
import { stateHash, stateText } from "./state-hash.ts";

const WINDOW = fixedWindow({ limit: 100, windowMs: 60_000 });
const PERMITS = concurrency({ limit: 100 });

function fleetOf(policy: Policy, startMs = 0, warmMs = 1_000, replicas = 3): SmallFleet {
  const fleet = new SmallFleet({
    replicas,
    startMs,
    makeLimiter: ({ cluster }) => createLimiter({ name: "api", policy, cluster }),
    step: (options) => new SteppedReplica(options),
  });
  fleet.settle(warmMs);
  return fleet;
}

function hash(fleet: SmallFleet, at: number): string {
  const { stepped, limiter } = fleet.members[at]!;
  return stateHash(stepped as SteppedReplica, [limiter]);
}

function text(fleet: SmallFleet, at: number): string {
  const { stepped, limiter } = fleet.members[at]!;
  return stateText(stepped as SteppedReplica, [limiter]);
}

/** Delivers everything on its way to a replica, the frames of one sender before all others. */
function deliverTo(fleet: SmallFleet, to: number, first: number): void {
  const of = (frame: { from: number; to: number }): boolean =>
    frame.to === to && frame.from === first;
  for (const isNext of [of, (frame: { to: number }) => frame.to === to]) {
    for (;;) {
      const frame = fleet.travelling.findIndex(isNext);
      if (frame < 0) break;
      fleet.take({ type: "deliver", frame }, () => {});
    }
  }
}

describe("the state hash of a replica", () => {
  it("is the same after two orders of frames of different senders, first frames included", () => {
    for (const policy of [WINDOW, PERMITS]) {
      const states = [0, 1].map((first) => {
        const fleet = fleetOf(policy, 0, -1);
        for (const at of [0, 1]) {
          fleet.members[at]!.limiter.check("ada");
          fleet.take({ type: "tick", at }, () => {});
        }
        deliverTo(fleet, 2, first);
        return text(fleet, 2);
      });
      expect(states[1]).toBe(states[0]);
      expect(states[0]).toContain("bbbb");
    }
  });

  it("does not depend on which key has which record", () => {
    const hashes = [
      ["ada", "bob"],
      ["bob", "ada"],
    ].map((keys) => {
      const fleet = fleetOf(WINDOW);
      for (const key of keys) fleet.members[0]!.limiter.check(key);
      return hash(fleet, 0);
    });
    expect(hashes[1]).toBe(hashes[0]);
  });

  it("does not depend on when it is, apart from the times in frames", () => {
    const hashes = [1_000, 3_600_000].map((startMs) => {
      const fleet = fleetOf(WINDOW, startMs, 1_000, 1);
      fleet.members[0]!.limiter.check("ada");
      fleet.settle(400);
      fleet.members[0]!.limiter.reset("bob");
      return hash(fleet, 0);
    });
    expect(hashes[1]).toBe(hashes[0]);
  });

  it("changes with every count, its own and others', and with what is sent and due", () => {
    const acts: ((fleet: SmallFleet) => void)[] = [
      () => {},
      (fleet) => fleet.members[0]!.limiter.check("ada"),
      (fleet) => fleet.members[0]!.limiter.check("ada", 2),
      (fleet) => fleet.members[0]!.limiter.check("bob"),
      (fleet) => fleet.members[0]!.limiter.reset("ada"),
      (fleet) => fleet.members[0]!.limiter.resetAll(),
      (fleet) => fleet.members[0]!.limiter.block("ada", 1_000),
      (fleet) => fleet.members[0]!.limiter.block("ada", 1_001),
      (fleet) => {
        const { limiter } = fleet.members[0]!;
        limiter.refund("ada", 1, limiter.check("ada"));
      },
      (fleet) => {
        fleet.members[0]!.limiter.check("ada");
        fleet.take({ type: "tick", at: 0 }, () => {});
      },
      (fleet) => {
        fleet.members[0]!.limiter.check("ada");
        fleet.take({ type: "tick", at: 0, isCut: true }, () => {});
      },
      (fleet) => {
        fleet.members[1]!.limiter.check("ada");
        fleet.settle(400);
      },
      (fleet) => {
        fleet.members[1]!.limiter.check("ada", 2);
        fleet.settle(400);
      },
      (fleet) => {
        fleet.members[2]!.limiter.check("ada", 2);
        fleet.settle(400);
      },
      (fleet) => fleet.take({ type: "busy", at: 0 }, () => {}),
    ];
    const hashes = acts.map((act) => {
      const fleet = fleetOf(WINDOW);
      act(fleet);
      return hash(fleet, 0);
    });
    expect(new Set(hashes).size).toBe(acts.length);
    const held = [0, 1, 2].map((count) => {
      const fleet = fleetOf(PERMITS);
      for (let permit = 0; permit < count; permit++) fleet.members[1]!.limiter.check("ada");
      fleet.settle(400);
      fleet.members[1]!.limiter.release("ada", count || 1);
      fleet.settle(400);
      return hash(fleet, 0);
    });
    expect(new Set(held).size).toBe(3);
  });
});
