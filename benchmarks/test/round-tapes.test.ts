import { describe, expect, it } from "vitest";
import { RoundTapes } from "../src/lanes/round-tapes.ts";
import { uniform } from "../src/measure/distribution.ts";
import { seededRandom } from "../src/measure/random.ts";
import type { Tape } from "../src/measure/tape.ts";

const KEYS = 1_000;
const REQUESTS = 100;

function tapes(): RoundTapes {
  return new RoundTapes(uniform(KEYS), KEYS, REQUESTS, seededRandom(1));
}

function keysOf(tape: Tape): string[] {
  return Array.from({ length: tape.length }, (_, position) => tape.key(position));
}

describe("the tapes of a round", () => {
  it("are the same for the same seed, and others in the next round", () => {
    const [one, other] = [tapes(), tapes()];
    const rounds = [1, 2].map(() => {
      one.draw();
      other.draw();
      expect(keysOf(other.timed)).toEqual(keysOf(one.timed));
      expect(keysOf(other.leadIn)).toEqual(keysOf(one.leadIn));
      return keysOf(one.timed);
    });
    expect(rounds[0]).not.toEqual(rounds[1]);
  });

  it("count the different keys that were timed in all rounds", () => {
    const drawn = tapes();
    const touched = new Set<string>();
    for (let round = 0; round < 3; round++) {
      drawn.draw();
      for (const key of keysOf(drawn.timed)) touched.add(key);
      expect(drawn.distinctKeys).toBe(touched.size);
    }
  });
});
