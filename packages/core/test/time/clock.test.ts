import { afterEach, describe, expect, it, vi } from "vitest";
import { SteadyTime, systemClock } from "../../src/time/clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("systemClock", () => {
  it("counts the milliseconds since the process started", () => {
    const before = performance.now();
    const read = systemClock.now();
    expect(read).toBeGreaterThanOrEqual(before);
    expect(read).toBeLessThanOrEqual(performance.now());
  });

  it("gives the wall clock for calendars", () => {
    vi.useFakeTimers({ now: Date.UTC(2024, 1, 29) });
    expect(systemClock.wall?.()).toBe(Date.UTC(2024, 1, 29));
  });

  it("follows fake timers that are installed after it was first read", () => {
    systemClock.now();
    vi.useFakeTimers();
    const before = systemClock.now();
    vi.advanceTimersByTime(1_500);
    expect(systemClock.now() - before).toBe(1_500);
    vi.advanceTimersByTime(250);
    expect(systemClock.now() - before).toBe(1_750);
  });

  it("lets steady time go on when fake timers come and go", () => {
    const time = new SteadyTime(systemClock);
    const real = time.read();
    vi.useFakeTimers();
    const faked = time.read();
    expect(faked).toBeGreaterThanOrEqual(real);
    vi.advanceTimersByTime(60_000);
    expect(time.read()).toBe(faked + 60_000);
    vi.useRealTimers();
    expect(time.read()).toBeGreaterThanOrEqual(faked + 60_000);
  });
});
