import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { doInBackground } from "../../../src/runtime/background.ts";
import { SimulatedTime } from "./simulated-time.ts";

let time: SimulatedTime;
let done: string[];

beforeEach(() => {
  time = new SimulatedTime(1_000);
  time.install();
  done = [];
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const later = (name: string, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(() => done.push(`${name} ${performance.now()}`), ms);

it("fires timers in the order of their times, and of one time as they were set", () => {
  const times = Array.from({ length: 200 }, (_, index) => (index * 7_919) % 50);
  times.forEach((ms, index) => {
    later(`${index}`, ms);
  });
  time.advance(100);
  const expected = times
    .map((ms, index) => ({ ms: Math.max(1, ms), index }))
    .sort((left, right) => left.ms - right.ms || left.index - right.index);
  expect(done).toEqual(expected.map(({ ms, index }) => `${index} ${ms}`));
});

it("fires nothing before its time, nothing that was called off, and what is set meanwhile", () => {
  later("late", 11);
  clearTimeout(later("off", 5));
  setTimeout(() => {
    done.push("first");
    later("inner", 3);
  }, 4);
  time.advance(10);
  expect([done, performance.now(), Date.now()]).toEqual([["first", "inner 7"], 10, 1_010]);
  time.advance(1);
  expect(done.at(-1)).toBe("late 11");
});

it("does what was put off before the next timer, and what comes again until it is called off", () => {
  later("a", 1);
  setTimeout(() => setImmediate(() => setImmediate(() => done.push("put off"))), 1);
  later("b", 1);
  const timer = setInterval(() => done.push("again"), 4);
  time.advance(10);
  clearInterval(timer);
  time.advance(10);
  expect(done).toEqual(["a 1", "put off", "b 1", "again", "again"]);
});

it("has work in slices cut in slow turns, and only there", () => {
  let slices = 0;
  let isCut = false;
  const work = (forMs: number): boolean => {
    const endMs = performance.now() + forMs;
    while (slices < 100 && performance.now() < endMs) slices++;
    isCut ||= slices < 100;
    return slices < 100;
  };
  for (const isSlow of [false, true]) {
    [slices, isCut] = [0, false];
    time.isNextSlow = () => isSlow;
    doInBackground(work);
    time.advance(1_000);
    expect([isCut, slices]).toEqual([isSlow, 100]);
  }
});
