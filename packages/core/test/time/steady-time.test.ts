import { describe, expect, it } from "vitest";
import { type Clock, SteadyTime } from "../../src/time/clock.ts";
import { manualClock } from "../../src/time/manual-clock.ts";

/** The readings of `SteadyTime` for a clock with these readings. */
function steadily(readings: readonly unknown[]): number[] {
  let next = 0;
  const time = new SteadyTime({ now: () => readings[next++] as number });
  return readings.map(() => time.read());
}

describe("SteadyTime", () => {
  it("drops fractions", () => {
    expect(steadily([100.9, 101, 101.999, 102.0001])).toEqual([100, 101, 101, 102]);
  });

  it("counts a step forward as time passing", () => {
    expect(steadily([100, 5_000_100])).toEqual([100, 5_000_100]);
  });

  it("counts a step back as no time passing and goes on from there", () => {
    expect(steadily([100, 101, 102, 40, 41, 43, 900])).toEqual([100, 101, 102, 102, 103, 105, 962]);
  });

  it("keeps the last value when a reading is not an instant", () => {
    const broken = [Number.NaN, Infinity, -Infinity, 1e300, undefined, {}, 7n, Symbol("now")];
    for (const reading of broken) {
      expect(steadily([100, reading, 103])).toEqual([100, 100, 103]);
    }
  });

  it("keeps the last value when the clock throws", () => {
    const clock = manualClock(100);
    let broken = false;
    const time = new SteadyTime({
      now: () => {
        if (broken) throw new Error("no clock");
        return clock.now();
      },
    });
    expect(time.read()).toBe(100);
    broken = true;
    clock.advance(5);
    expect(time.read()).toBe(100);
    expect(time.wall()).toBe(0);
    broken = false;
    expect(time.read()).toBe(105);
    expect(time.wall()).toBe(105);
  });

  it("starts at zero when the first reading is bad or negative", () => {
    expect(steadily([Number.NaN, 50])).toEqual([0, 50]);
    expect(steadily([-300, -299, -290.5, 10])).toEqual([0, 1, 9, 310]);
  });

  it("stays exact however often the clock runs to its end", () => {
    const last = Date.UTC(10_000, 0, 1) - 1;
    expect(steadily([last, 0, last, 0, last])).toEqual([last, last, last, last, last]);
    expect(Number.isSafeInteger(last + 1_000 * 365 * 86_400_000)).toBe(true);
  });

  it("stays where it is at readings beyond the year 9999, such as microseconds of a date", () => {
    expect(steadily([5, Date.UTC(10_000, 0, 1), 1.7e15, 6])).toEqual([5, 5, 5, 6]);
  });

  it("takes the wall time from the clock, and from now() when it has none", () => {
    const clock = manualClock(1_000.5);
    const withWall: Clock = { now: () => 5, wall: () => Date.UTC(2024, 0, 1) + 0.75 };
    expect(new SteadyTime(withWall).wall()).toBe(Date.UTC(2024, 0, 1));
    expect(new SteadyTime(clock).wall()).toBe(1_000);
  });

  it("lets the wall time go back, and keeps the last valid one past the year 9999", () => {
    const clock = manualClock(Date.UTC(2030, 0, 1));
    const time = new SteadyTime(clock);
    expect(time.wall()).toBe(Date.UTC(2030, 0, 1));
    clock.set(Date.UTC(2024, 0, 1));
    expect(time.wall()).toBe(Date.UTC(2024, 0, 1));
    for (const wrong of [-1, Date.UTC(10_000, 0, 1), 1e300]) {
      clock.set(wrong);
      expect(time.wall()).toBe(Date.UTC(2024, 0, 1));
    }
  });
});
