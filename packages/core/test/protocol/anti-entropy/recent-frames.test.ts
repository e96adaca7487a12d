import { describe, expect, it } from "vitest";
import { type Origin, RecentFrames } from "../../../src/protocol/anti-entropy/recent-frames.ts";

/** An origin whose frame of a number has a clock reading of its own, or a given one. */
function by(id: string, sent: number, clockMs: number = sent): Origin {
  return { id, sent, clockMs };
}

function frame(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text));
}

/** The kept frames of a replica after a number, and whether `newest` finds the last of them. */
function after(recent: RecentFrames, from: string, since: number, last = false): string[] {
  const found = recent.after(from, since, last);
  expect(recent.newest(from, since, last)).toBe(found.at(-1));
  return found.map((bytes) => Buffer.from(bytes).toString());
}

describe("the recent frames", () => {
  it("are found by their origin and from a number on", () => {
    const recent = new RecentFrames();
    for (const number of [1, 2, 3]) {
      recent.keep(by("a", number), frame(`a${number}`));
      recent.keep(by("b", number), frame(`b${number}`));
    }
    expect(after(recent, "a", 1)).toEqual(["a2", "a3"]);
    expect(after(recent, "b", 0)).toEqual(["b1", "b2", "b3"]);
    expect(after(recent, "c", 0, true)).toEqual([]);
  });

  it("end with the last one if that is wanted, also when all counts of the origin are known", () => {
    const recent = new RecentFrames();
    for (const text of ["counts", "heartbeat"]) recent.keep(by("a", 7), frame(text));
    expect(after(recent, "a", 7)).toEqual([]);
    expect(after(recent, "a", 7, true)).toEqual(["heartbeat"]);
  });

  it("are kept once", () => {
    const recent = new RecentFrames();
    for (const from of ["a", "a", "b"]) recent.keep(by(from, 1), frame("same"));
    expect(after(recent, "a", 0)).toEqual(["same"]);
    expect(after(recent, "b", 0)).toEqual(["same"]);
  });

  it("are kept once when others have the same clock reading", () => {
    const recent = new RecentFrames();
    for (const text of ["one", "two", "six", "one", "two"]) recent.keep(by("a", 1, 7), frame(text));
    expect(after(recent, "a", 0)).toEqual(["one", "two", "six"]);
  });

  it("end with the newest one, although the origin was forgotten and old frames of it came again", () => {
    const recent = new RecentFrames();
    recent.keep(by("a", 9), frame("before it was forgotten"));
    recent.keep(by("a", 2), frame("sent again"));
    expect(after(recent, "a", 5)).toEqual(["before it was forgotten", "sent again"]);
  });

  it("drop the older half when there are too many, of all origins together", () => {
    const recent = new RecentFrames();
    for (let number = 1; number <= 512; number++) {
      recent.keep(by(number <= 100 ? "a" : "b", number), frame(`${number}`));
    }
    expect(after(recent, "a", 0)).toHaveLength(100);
    recent.keep(by("b", 513), frame("513"));
    expect(after(recent, "a", 0)).toEqual([]);
    expect(after(recent, "b", 0)).toHaveLength(256);
    expect(after(recent, "b", 0)[0]).toBe("258");
  });

  it("are all dropped at once", () => {
    const recent = new RecentFrames();
    recent.keep(by("a", 1), frame("a1"));
    recent.forget();
    expect(after(recent, "a", 0, true)).toEqual([]);
  });
});
