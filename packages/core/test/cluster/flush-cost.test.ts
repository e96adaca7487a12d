import { describe, expect, it } from "vitest";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import type { Note } from "../../src/store/marks/notes.ts";
import { Fleet, type FleetReplica } from "./fleet.ts";

const KNOWN = 500;
const HOUR = 3_600_000;
const policies = [fixedWindow({ limit: 10, windowMs: HOUR })];

/** Counts how often a replica reads its present notes when they leave. */
function countVisits({ replica }: FleetReplica): { visits: number } {
  const counter = { visits: 0 };
  for (const { store } of replica.replicatedLimiters.all()) {
    for (const note of store.notes.all() as Iterable<Note>) {
      let { frame } = note;
      Object.defineProperty(note, "frame", {
        get: () => {
          counter.visits++;
          return frame;
        },
        set: (value: number) => {
          frame = value;
        },
      });
    }
  }
  return counter;
}

describe("a flush after a block", () => {
  it("visits the notes that changed, however many keys are blocked", () => {
    const fleet = new Fleet({ policies });
    const [left, right] = [fleet.add(), fleet.add()];
    fleet.pass(2_000);
    for (let key = 0; key < KNOWN; key++) left.limiter.block(`blocked ${key}`, HOUR);
    // The requests after a join get full replies.
    fleet.pass(8_000);
    expect(right.limiter.check(`blocked ${KNOWN - 1}`).allowed).toBe(false);

    const counters = [left, right].map(countVisits);
    for (let key = 0; key < 10; key++) {
      left.limiter.block(`new ${key}`, HOUR);
      fleet.pass(1_000);
      expect(right.limiter.check(`new ${key}`).allowed).toBe(false);
    }
    // One look beyond the last note that changed shows that the others have not.
    for (const { visits } of counters) expect(visits).toBeLessThan(40);
  });
});
