/** The slots of a sliding window are what they were, whichever way time is turned to them. */

import { describe, expect, it } from "vitest";
import { slidingWindow } from "../../../../src/index.ts";
import { fleet, type Member, START_MS } from "../../fleet.ts";

const SLOT_MS = 60_000;
const window = slidingWindow({ limit: 100, windowMs: 10 * SLOT_MS, slots: 10 });
/** When a slot begins. */
const FIRST_MS = Math.ceil(START_MS / SLOT_MS) * SLOT_MS;

/** Hits in the window, where none is in the slot that is leaving it. */
function hitsIn(member: Member): number {
  return member.held(1) / SLOT_MS;
}

function at(member: Member, slot: number): Member {
  return member.at(FIRST_MS, FIRST_MS + slot * SLOT_MS);
}

describe("a sliding window after the cluster's time has stepped back by minutes", () => {
  it("keeps hits in slots that are not in the future", () => {
    const [one, two] = fleet([0, 0], [window]);
    for (const [slot, hits] of [1, 2, 4, 8, 16].entries()) {
      at(one!, slot).hit(1, hits);
      at(two!, slot).hit(1, 100 * hits);
    }
    one!.joinAll(two!.sent());
    expect(hitsIn(one!)).toBe(31 * 101);
    // The next slot counts already: clocks that are a little ahead are in it.
    expect(hitsIn(at(one!, 1))).toBe(7 * 101);
    expect(hitsIn(at(one!, 4))).toBe(7 * 101);
  });

  it("continues counting in them", () => {
    const [one, two] = fleet([0, 0], [window]);
    at(one!, 0).hit(1, 5);
    at(two!, 0).joinAll(one!.sent());
    at(one!, 2).hit(1, 1);
    at(one!, 0).hit(1, 2);
    two!.joinAll(one!.sent());
    expect([one!, two!].map(hitsIn)).toEqual([7, 7]);
  });

  it("publishes its hits in the next slot, and refunds them", () => {
    const [one, two] = fleet([0, 0], [window]);
    at(one!, 2).hit(1, 5);
    at(one!, 1).refund(1, 2);
    at(two!, 1).joinAll(one!.sent());
    expect([one!, two!].map(hitsIn)).toEqual([3, 3]);
  });

  it("keeps nothing of a step that is longer than all slots", () => {
    const [one, two] = fleet([0, 0], [window]);
    at(two!, 20).hit(1, 5);
    at(one!, 20).joinAll(two!.sent());
    one!.hit(1, 5);
    expect(hitsIn(at(one!, 3))).toBe(0);
    expect(hitsIn(at(one!, 20))).toBe(0);
  });
});
