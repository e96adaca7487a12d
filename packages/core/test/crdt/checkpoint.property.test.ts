import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Checkpoint, drain, foldSlot, joinedCheckpoint } from "../../src/crdt/checkpoint.ts";

const checkpoint: fc.Arbitrary<Checkpoint> = fc.record({
  slot: fc.constant(7),
  level: fc.nat(4).map((hits) => hits * 1_000),
});

function join(own: Checkpoint, received: Checkpoint): Checkpoint {
  return joinedCheckpoint(own, received, 1_000, () => 0);
}

describe("checkpoints after one slot", () => {
  it("are ordered by their levels", () => {
    fc.assert(
      fc.property(checkpoint, checkpoint, (known, heard) => {
        const better = join(known, heard);
        expect(better.level).toBe(Math.max(known.level, heard.level));
      }),
      seededRuns(300),
    );
  });

  it("merge commutatively, associatively and idempotently", () => {
    fc.assert(
      fc.property(checkpoint, checkpoint, checkpoint, (one, two, three) => {
        expect(join(one, two)).toEqual(join(two, one));
        expect(join(join(one, two), three)).toEqual(join(one, join(two, three)));
        expect(join(one, one)).toEqual(one);
      }),
      seededRuns(300),
    );
  });

  it("fold monotonously: a higher level or more hits never lead to less", () => {
    const level = fc.nat(5_000);
    fc.assert(
      fc.property(level, level, fc.nat(3_000), level, fc.nat(9), (low, more, leak, hits, slots) => {
        const folded = foldSlot(low, leak, hits);
        expect(folded).toBe(Math.max(0, low - leak) + hits);
        expect(foldSlot(low + more, leak, hits)).toBeGreaterThanOrEqual(folded);
        let drained = low;
        for (let slot = 0; slot < slots; slot++) drained = foldSlot(drained, leak, 0);
        expect(drain(low, leak, slots)).toBe(drained);
      }),
      seededRuns(300),
    );
  });
});
