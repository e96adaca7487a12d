import { seededRuns } from "@tidegate/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReceivedFrames } from "../../../src/protocol/receive/received-frames.ts";
import { expectSame } from "../../quick-expectation.ts";

type Step = { readonly frame: number } | { readonly since: number; readonly upTo: number };

/** The same with a set of numbers. */
class Plainly {
  readonly #heard = new Set<number>();

  add(number: number): void {
    this.#heard.add(number);
  }

  cover(since: number, upTo: number): void {
    if (since > this.last) return;
    for (let number = this.last; number <= upTo; number++) this.#heard.add(number);
  }

  knows(number: number): boolean {
    return number <= this.last || this.#heard.has(number);
  }

  get last(): number {
    let last = 0;
    while (this.#heard.has(last + 1)) last++;
    return last;
  }
}

const near = fc.nat({ max: 30 });
const FRAMES = Array.from({ length: 32 }, (_, frame) => frame);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ frame: near }) },
  fc.record({ since: near, upTo: near }),
);

describe("the received frames of a replica", () => {
  it("have the same last number without a gap as a set of all received numbers", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        const heard = new ReceivedFrames();
        const plainly = new Plainly();
        for (const each of steps) {
          if ("frame" in each) {
            if (each.frame === 0) continue;
            heard.add(each.frame);
            plainly.add(each.frame);
          } else {
            heard.cover(each.since, each.upTo);
            plainly.cover(each.since, each.upTo);
          }
          expectSame(heard.last, plainly.last);
          const isWrong = FRAMES.find((frame) => heard.knows(frame) !== plainly.knows(frame));
          expectSame(isWrong, undefined);
        }
      }),
      seededRuns(500),
    );
  });

  it("merge to the same on all replicas that exchange them, as if each had received all of them", () => {
    const numbers = fc.array(
      near.map((number) => number + 1),
      { maxLength: 30, size: "max" },
    );
    fc.assert(
      fc.property(numbers, numbers, (left, right) => {
        const [one, other, both] = [left, right, [...left, ...right]].map((heard) => {
          const frames = new ReceivedFrames();
          for (const number of heard) frames.add(number);
          return frames;
        }) as [ReceivedFrames, ReceivedFrames, ReceivedFrames];
        const known = one.known;
        one.join(other.known);
        other.join(known);
        expect([one.known, other.known]).toEqual([both.known, both.known]);
      }),
      seededRuns(500),
    );
  });

  it("never include a frame that was not received, however far above a gap others are", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 2, max: 500 })), (numbers) => {
        const heard = new ReceivedFrames();
        for (const number of numbers) heard.add(number);
        expect(heard.last).toBe(0);
      }),
      seededRuns(100),
    );
  });

  it("include none above a reply that covers as many as are remembered", () => {
    for (const upTo of [31, 32, 33, 64]) {
      const heard = new ReceivedFrames();
      heard.add(5);
      heard.cover(0, upTo);
      expect(heard.known).toEqual({ upTo, above: 0 });
    }
  });
});
