import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { laterMark, type Mark, markWaitMs } from "../../src/crdt/mark.ts";

const mark: fc.Arbitrary<Mark> = fc.record({
  reset: fc.nat(2),
  untilMs: fc.nat(3),
  limit: fc.constantFrom(0, 5, 10, Number.POSITIVE_INFINITY),
});

describe("marks of one kind", () => {
  it("are ordered by reset, then until, then limit", () => {
    fc.assert(
      fc.property(mark, mark, (left, right) => {
        const order = [left.reset - right.reset, left.untilMs - right.untilMs];
        const first = order.find((difference) => difference !== 0);
        const rightWins = first === undefined ? right.limit > left.limit : first < 0;
        expect(laterMark(left, right)).toBe(rightWins ? right : left);
      }),
      seededRuns(300),
    );
  });

  it("merge commutatively, associatively and idempotently", () => {
    fc.assert(
      fc.property(mark, mark, mark, (one, two, three) => {
        expect(laterMark(one, two)).toEqual(laterMark(two, one));
        expect(laterMark(laterMark(one, two), three)).toEqual(
          laterMark(one, laterMark(two, three)),
        );
        expect(laterMark(one, one)).toEqual(one);
        expect(laterMark(undefined, one)).toBe(one);
      }),
      seededRuns(300),
    );
  });

  it("refuse until their end, unless a reset is above them or the caller's limit is", () => {
    const until = { reset: 5, untilMs: 100, limit: 10 };
    expect(markWaitMs(until, 5, 10, 40)).toBe(60);
    expect(markWaitMs(until, 5, 10, 100)).toBe(0);
    expect(markWaitMs(until, 6, 10, 40)).toBe(0);
    expect(markWaitMs(until, 5, 11, 40)).toBe(0);
    const always = { ...until, limit: Number.POSITIVE_INFINITY };
    expect(markWaitMs(always, 5, 1_000_000, 40)).toBe(60);
  });
});
