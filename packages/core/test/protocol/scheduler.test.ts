import { describe, expect, it } from "vitest";
import type { Slices } from "../../src/base/slices.ts";
import { FrameLane, type TransportState } from "../../src/protocol/publish/frame-lane.ts";
import { Scheduler, Slicer } from "../../src/protocol/scheduler.ts";

/** Work of so many steps; it writes a frame in each, if it has a lane. */
function* stepsOf(steps: number, done: string[], name: string, lane?: FrameLane): Slices {
  for (let step = 0; step < steps; step++) {
    done.push(name);
    lane?.push(new Uint8Array(1), undefined);
    yield;
  }
}

function laneOf(isBusy = false): { lane: FrameLane; transport: TransportState } {
  const transport = { isConnected: true, isBusy, maxPayload: 512, trouble: undefined };
  return { lane: new FrameLane(transport), transport };
}

function runAll(scheduler: Scheduler): void {
  while (scheduler.slice());
}

describe("a slicer", () => {
  it("begins nothing before its turn, and does one piece of work after the other", () => {
    const scheduler = new Scheduler();
    const slicer = new Slicer(scheduler);
    const done: string[] = [];
    slicer.run(stepsOf(4, done, "first"), () => done.push("first is done"));
    slicer.run(stepsOf(4, done, "then"));
    expect([done, slicer.isIdle, scheduler.isRunnable]).toEqual([[], false, true]);
    runAll(scheduler);
    expect(done).toEqual([...Array(4).fill("first"), "first is done", ...Array(4).fill("then")]);
    expect([slicer.isIdle, scheduler.isRunnable]).toEqual([true, false]);
  });

  it("writes no further while its frames wait, and is done when they have been sent", () => {
    const scheduler = new Scheduler();
    const { lane } = laneOf();
    const slicer = new Slicer(scheduler, lane);
    const done: string[] = [];
    slicer.run(stepsOf(2, done, "written", lane), () => done.push("sent"));
    runAll(scheduler);
    expect(done).toEqual(["written"]);
    lane.shift();
    runAll(scheduler);
    expect(done).toEqual(["written", "written"]);
    lane.shift();
    expect(slicer.isIdle).toBe(false);
    runAll(scheduler);
    expect([done.at(-1), slicer.isIdle]).toEqual(["sent", true]);
  });

  it("waits while the transport is busy, unless everything has been sent", () => {
    const scheduler = new Scheduler();
    const { lane, transport } = laneOf(true);
    const slicer = new Slicer(scheduler, lane);
    const done: string[] = [];
    slicer.run(stepsOf(1, done, "written", lane), () => done.push("sent"));
    runAll(scheduler);
    expect(done).toEqual([]);
    transport.isBusy = false;
    runAll(scheduler);
    lane.shift();
    transport.isBusy = true;
    runAll(scheduler);
    expect(done).toEqual(["written"]);
    transport.isBusy = false;
    runAll(scheduler);
    expect(done).toEqual(["written", "sent"]);
  });

  it("drops the rest and its frames when it stops", () => {
    const scheduler = new Scheduler();
    const { lane } = laneOf();
    const slicer = new Slicer(scheduler, lane);
    const done: string[] = [];
    slicer.run(stepsOf(3, done, "written", lane), () => done.push("sent"));
    scheduler.slice();
    slicer.stop();
    runAll(scheduler);
    expect([done, lane.isEmpty]).toEqual([["written"], true]);
  });
});

describe("a scheduler", () => {
  it("gives each work its turn, slice by slice", () => {
    const scheduler = new Scheduler();
    const done: string[] = [];
    for (const name of ["a", "b", "c"]) new Slicer(scheduler).run(stepsOf(2, done, name));
    runAll(scheduler);
    expect(done).toEqual(["a", "b", "c", "a", "b", "c"]);
  });
});
