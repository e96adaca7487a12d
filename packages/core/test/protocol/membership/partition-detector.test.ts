import { describe, expect, it } from "vitest";
import { NOTICED_MS, Survivor } from "../survivor.ts";

describe("a survivor of a fleet whose processes are killed and started again", () => {
  it.each([2, 3, 6, 12])(
    "is partitioned for no longer than the replacements take, of %i",
    (size) => {
      const survivor = new Survivor(size - 1);
      survivor.pass(10_000);
      for (let slot = 0; slot < size - 1; slot++) {
        survivor.start(slot, 300);
        survivor.pass(1_000);
      }
      survivor.pass(NOTICED_MS);
      expect(survivor.isPartitioned).toBe(false);
    },
  );

  it("is not partitioned while all others are replaced at once, each right after its last frame", () => {
    const survivor = new Survivor(5);
    survivor.pass(10_000);
    for (let slot = 0; slot < 5; slot++) {
      survivor.say(slot);
      survivor.start(slot, 0);
    }
    survivor.pass(NOTICED_MS, () => survivor.isPartitioned);
    expect(survivor.isPartitioned).toBe(false);
  });

  it("ends its partition after a crash loop of half of the others, with as many as before", () => {
    const survivor = new Survivor(4);
    survivor.pass(10_000);
    for (let loop = 0; loop < 10; loop++) {
      survivor.start(0, 400);
      survivor.start(1, 700);
      survivor.pass(1_500);
    }
    survivor.kill(2);
    survivor.kill(3);
    survivor.pass(5_000);
    survivor.start(2, 0);
    survivor.start(3, 0);
    survivor.pass(NOTICED_MS);
    expect(survivor.isPartitioned).toBe(false);
  });

  it("shares a limit with as many replicas as were alive at the same time", () => {
    const survivor = new Survivor(5);
    survivor.pass(10_000);
    for (let loop = 0; loop < 4; loop++) {
      survivor.start(3, 300);
      survivor.start(4, 300);
      survivor.pass(1_500);
    }
    survivor.cut(2, 3, 4);
    survivor.pass(NOTICED_MS);
    expect(survivor.partitionDetector.separation).toMatchObject({
      kind: "partition",
      replicas: 6,
    });
  });

  it("shares a limit with all replicas whose first frame just arrived, if its transport goes away", () => {
    const survivor = new Survivor(3);
    for (const slot of [0, 1, 2]) {
      survivor.say(slot);
      survivor.nowMs += 100;
    }
    survivor.lookAway();
    expect(survivor.partitionDetector.separation).toMatchObject({
      kind: "partition",
      replicas: 4,
    });
  });

  it("wants no look at a time that is over, once it has noticed that its transport is away", () => {
    const survivor = new Survivor(1);
    survivor.pass(5_000);
    survivor.lookAway();
    expect(survivor.isPartitioned).toBe(true);
    expect(survivor.partitionDetector.dueAtMs).toBeGreaterThan(survivor.nowMs);
  });

  it("does not count a dead process beside its replacement, if only a late frame of it arrives", () => {
    const survivor = new Survivor(3);
    survivor.pass(2_000);
    for (const slot of [0, 1, 2]) survivor.say(slot);
    survivor.passOn("00000000000000ff", 2_500);
    survivor.lookAway();
    expect(survivor.partitionDetector.separation).toMatchObject({
      kind: "partition",
      replicas: 4,
    });
  });

  it("waits for the replicas that return last, before it reports the end of the partition", () => {
    const survivor = new Survivor(2);
    survivor.pass(10_000);
    survivor.cut(0, 1);
    survivor.pass(NOTICED_MS);
    survivor.heal();
    survivor.cut(1);
    survivor.pass(2_000);
    expect(survivor.isPartitioned).toBe(true);
    survivor.heal();
    survivor.pass(2_000);
    expect(survivor.report).toBe("frames of all other replicas arrive again");
  });

  it("tells a crash from a partition once frames of the other side arrive again", () => {
    const survivor = new Survivor(5);
    survivor.pass(10_000);
    survivor.cut(2, 3, 4);
    survivor.pass(NOTICED_MS);
    survivor.kill(4);
    survivor.heal();
    survivor.pass(NOTICED_MS);
    expect(survivor.isPartitioned).toBe(false);
    expect(survivor.report).toContain("frames of 4 other replicas arrive");
  });

  it("counts a replacement once although the last frame of the dead process was relayed late", () => {
    const survivor = new Survivor(3);
    survivor.pass(10_000);
    const late = { id: "0".repeat(16), sentAtMs: survivor.nowMs };
    survivor.start(0, 200);
    survivor.pass(2_000);
    survivor.members.received(late.id, survivor.nowMs, late.sentAtMs, 0);
    survivor.pass(1_000);
    for (const slot of [0, 1, 2]) survivor.kill(slot);
    survivor.pass(5_000);
    expect(survivor.isPartitioned).toBe(true);
    for (const slot of [0, 1, 2]) survivor.start(slot, 0);
    survivor.pass(NOTICED_MS);
    expect(survivor.isPartitioned).toBe(false);
  });
});

describe("a partition of three and three", () => {
  it.each([
    ["with no restart", () => {}],
    [
      "with two restarts on the far side just before",
      (survivor: Survivor) => {
        survivor.start(3, 300);
        survivor.start(4, 600);
        survivor.pass(2_000);
      },
    ],
  ])("is detected until frames of the other side arrive again: %s", (_, before) => {
    const survivor = new Survivor(5);
    survivor.pass(10_000);
    before(survivor);
    survivor.cut(2, 3, 4);
    survivor.pass(NOTICED_MS);
    expect(survivor.isPartitioned).toBe(true);
    // Restarts on either side during the cut change nothing.
    survivor.start(0, 300);
    survivor.start(3, 300);
    survivor.start(4, 300);
    survivor.pass(60_000);
    expect(survivor.isPartitioned).toBe(true);
    survivor.heal();
    // A replacement counts from its second heartbeat on.
    survivor.pass(3_500);
    expect(survivor.isPartitioned).toBe(false);
  });
});

it("a survivor stays partitioned while processes on its own side are replaced", () => {
  const survivor = new Survivor(4);
  survivor.pass(10_000);
  survivor.cut(2, 3);
  survivor.pass(NOTICED_MS);
  for (let phase = 0; phase < 10; phase++) {
    for (const slot of [0, 1]) {
      survivor.say(slot);
      survivor.start(slot, 100);
    }
    survivor.pass(5_100, () => !survivor.isPartitioned);
    expect(survivor.isPartitioned).toBe(true);
  }
});
