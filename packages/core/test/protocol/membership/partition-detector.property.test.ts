import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NOTICED_MS, Survivor } from "../survivor.ts";

describe("after any crashes, restarts and partitions", () => {
  const event = fc.record({
    what: fc.constantFrom("restart", "restart", "restart", "cut", "heal"),
    slots: fc.uniqueArray(fc.nat({ max: 6 }), { minLength: 1, maxLength: 7 }),
    downMs: fc.integer({ min: 100, max: 8_000 }),
    passMs: fc.integer({ min: 0, max: 6_000 }),
  });
  const history = fc.record({
    others: fc.integer({ min: 1, max: 7 }),
    events: fc.array(event, { maxLength: 25 }),
  });

  it("a survivor that receives as many replicas as at the beginning of the partition is not partitioned", () => {
    fc.assert(
      fc.property(history, ({ others, events }) => {
        const survivor = new Survivor(others);
        survivor.pass(5_000);
        for (const { what, slots, downMs, passMs } of events) {
          const chosen = slots.filter((slot) => slot < others);
          if (what === "heal") survivor.heal();
          else if (what === "cut") survivor.cut(...chosen);
          else for (const slot of chosen) survivor.start(slot, downMs);
          survivor.pass(passMs);
        }
        survivor.heal();
        // All that were killed have their replacements.
        survivor.pass(8_000 + NOTICED_MS);
        expect(survivor.isPartitioned, "cut off although all are heard").toBe(false);
        expect(survivor.partitionDetector.known, "more than there ever were").toBeLessThanOrEqual(
          others + 1,
        );
      }),
      seededRuns(60),
    );
  });

  it("a partition from half of the others lasts until their frames arrive again", () => {
    fc.assert(
      fc.property(history, ({ others, events }) => {
        const survivor = new Survivor(others);
        survivor.pass(5_000);
        const far = Array.from({ length: others }, (_, slot) => slot).slice(Math.floor(others / 2));
        // Restarts before the partition are finished when it comes.
        for (const { slots, passMs } of events.slice(0, 5)) {
          for (const slot of slots) if (slot < others) survivor.start(slot, 100);
          survivor.pass(passMs);
        }
        survivor.pass(1_500);
        if (far.length === 1 && others > 1) return;
        survivor.cut(...far);
        survivor.pass(NOTICED_MS);
        for (const { slots, downMs, passMs } of events.slice(5)) {
          expect(survivor.isPartitioned, "a cut is not noticed").toBe(true);
          for (const slot of slots) if (slot < others) survivor.start(slot, downMs);
          survivor.pass(passMs);
        }
        expect(survivor.partitionDetector.known, "fewer than there are").toBe(others + 1);
      }),
      seededRuns(60),
    );
  });
});
