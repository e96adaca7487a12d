import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Slices } from "../../src/base/slices.ts";
import { Slicer } from "../../src/replication/slicer.ts";
import { endBackground, holdBackground, runAll } from "./background.ts";

let nowMs = 0;

/** Work of so many steps of a millisecond each. */
function* stepsOf(steps: number, done: string[], name: string): Slices {
  for (let step = 0; step < steps; step++) {
    nowMs++;
    done.push(name);
    yield;
  }
}

beforeEach(() => {
  holdBackground(() => nowMs);
});

afterEach(endBackground);

describe("a slicer", () => {
  it("begins at once, ends short work at once, and leaves the rest to the background", () => {
    const done: string[] = [];
    const slicer = new Slicer(() => false);
    slicer.run(stepsOf(1, done, "short"));
    expect(slicer.isIdle).toBe(true);
    slicer.run(stepsOf(9, done, "long"));
    expect(slicer.isIdle).toBe(false);
    expect(done.length).toBeLessThan(9);
    runAll();
    expect(slicer.isIdle).toBe(true);
    expect(done.length).toBe(10);
  });

  it("does one piece of work after the other", () => {
    const done: string[] = [];
    const slicer = new Slicer(() => false);
    slicer.run(stepsOf(4, done, "first"), () => done.push("first is done"));
    slicer.run(stepsOf(4, done, "then"));
    runAll();
    expect(done).toEqual([...Array(4).fill("first"), "first is done", ...Array(4).fill("then")]);
  });

  it("waits while its frames would be dropped, and goes on when it is called", () => {
    const done: string[] = [];
    let isBusy = true;
    const slicer = new Slicer(() => isBusy);
    slicer.run(stepsOf(9, done, "said"));
    runAll();
    expect(done.length).toBe(1);
    slicer.goOn();
    runAll();
    expect(done.length).toBe(1);
    isBusy = false;
    slicer.goOn();
    runAll();
    expect(slicer.isIdle).toBe(true);
    expect(done.length).toBe(9);
  });
});
