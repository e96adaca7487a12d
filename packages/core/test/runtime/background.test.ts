import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { doInBackground, leaveUndone, type Work } from "../../src/runtime/background.ts";

let nowMs = 0;

/** Work that takes so long, a millisecond a step; it records how much of it was done when. */
function workOf(ms: number, done: number[]): Work {
  let leftMs = ms;
  return (forMs) => {
    const endMs = nowMs + forMs;
    const beganMs = nowMs;
    while (leftMs > 0 && nowMs < endMs) {
      leftMs--;
      nowMs++;
    }
    done.push(nowMs - beganMs);
    return leftMs > 0;
  };
}

/** Runs one turn of the event loop; returns how long it took. */
function turnMs(): number {
  const beganMs = nowMs;
  vi.runOnlyPendingTimers();
  return nowMs - beganMs;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setImmediate", "clearImmediate"] });
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("work in the background", () => {
  it("takes a few milliseconds of each turn until it is done, and none after that", () => {
    const done: number[] = [];
    doInBackground(workOf(5, done));
    const turns = [turnMs(), turnMs(), turnMs(), turnMs()];
    expect(turns).toEqual([2, 2, 1, 0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("shares a turn among all works, however many there are", () => {
    const [one, another]: number[][] = [[], []];
    doInBackground(workOf(50, one!));
    doInBackground(workOf(50, another!));
    expect(turnMs()).toBe(2);
    expect([one, another]).toEqual([[1], [1]]);
  });

  it("gives the time that one work leaves over to the others", () => {
    const [short, long]: number[][] = [[], []];
    doInBackground(workOf(0, short!));
    doInBackground(workOf(50, long!));
    turnMs();
    expect([short, long]).toEqual([[0], [2]]);
    leaveAll();
  });

  it("is dropped on request", () => {
    const done: number[] = [];
    const work = workOf(50, done);
    doInBackground(work);
    turnMs();
    leaveUndone(work);
    expect(turnMs()).toBe(0);
  });

  it("goes on when tests have replaced the timers that it waited for", () => {
    const done: number[] = [];
    doInBackground(workOf(50, done));
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["setImmediate", "clearImmediate"] });
    doInBackground(workOf(1, []));
    expect(turnMs()).toBeGreaterThan(0);
    expect(done).not.toEqual([]);
  });
});

/** Runs all that is left, so that the next test begins with nothing. */
function leaveAll(): void {
  for (let turns = 0; vi.getTimerCount() > 0 && turns < 100; turns++) turnMs();
}

afterEach(leaveAll);
