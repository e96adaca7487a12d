import { isIPv4 } from "node:net";
import { describe, expect, it } from "vitest";
import { address, Tape } from "../src/measure/tape.ts";

describe("address", () => {
  it("gives different keys different addresses", () => {
    const addresses = Array.from({ length: 100_000 }, (_, key) => address(key));
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it("looks like an address", () => {
    expect(Array.from({ length: 1_000 }, (_, key) => address(key)).every(isIPv4)).toBe(true);
  });
});

describe("a tape", () => {
  it("plays back what was recorded, also when recorded over", () => {
    const tape = new Tape(3);
    for (const [position, key] of [7, 0, 7].entries()) tape.record(position, key);
    expect([0, 1, 2].map((position) => tape.key(position))).toEqual([7, 0, 7].map(address));
    tape.record(1, 123_456);
    expect(tape.key(1)).toBe(address(123_456));
  });
});
