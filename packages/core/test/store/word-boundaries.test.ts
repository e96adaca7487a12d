import { describe, expect, it } from "vitest";
import { tokenBucket } from "../../src/policies/bucket.ts";
import { fixedWindow } from "../../src/policies/fixed-window.ts";
import type { Policy } from "../../src/policies/policy.ts";
import { slidingLog } from "../../src/policies/sliding-log.ts";
import { slidingWindow } from "../../src/policies/sliding-window.ts";
import { fleet, START_MS } from "./fleet.ts";

const windowMs = 1_000;
/** A whole number of all windows and slots. */
const PERIOD_MS = 1_000 * 2 ** 16;
const AROUND_MS = [-700, -300, -1, 0, 1, 400, 1_200];

const policies: [string, Policy, number][] = [
  ["windows", fixedWindow({ limit: 10, windowMs }), 1],
  ["aligned windows", fixedWindow({ limit: 10, windowMs, align: true }), windowMs],
  ["slots", slidingWindow({ limit: 10, windowMs, slots: 5 }), 200],
  ["buckets", tokenBucket({ capacity: 10, refillPerSecond: 2.5 }), 256],
  ["logs", slidingLog({ limit: 10, windowMs }), 1],
];

/** All that two replicas see of a key around a time in which both count and refund. */
function seenAround(policy: Policy, atMs: number): number[][] {
  const [one, other] = fleet([0, 0], [policy]);
  return AROUND_MS.flatMap((offsetMs) => {
    for (const each of [one!, other!]) each.at(atMs + offsetMs);
    one!.hit(1, 2);
    other!.hit(1);
    one!.refund(1);
    other!.joinAll(one!.sent());
    one!.joinAll(other!.sent());
    return [one!.view(1), other!.view(1)];
  });
}

describe.each(policies)("times and slots are kept in two words: %s", (_, policy, slotMs) => {
  it.each([2 ** 31, 2 ** 32])("that are a multiple of %d are counted as any other", (step) => {
    const steps = Math.ceil(START_MS / (step * slotMs));
    // An odd number of half words is where a sign changes.
    const boundaryMs = (steps + (1 - (steps % 2))) * step * slotMs;
    expect(seenAround(policy, boundaryMs)).toEqual(seenAround(policy, boundaryMs + PERIOD_MS));
  });
});
