import { describe, expect, it } from "vitest";
import { manualClock } from "../../src/testing.ts";

describe("manualClock", () => {
  it("stands still until the test moves it", () => {
    const clock = manualClock(500);
    expect([clock.now(), clock.now()]).toEqual([500, 500]);
    clock.advance(20);
    clock.advance(0.5);
    clock.advance(0);
    expect(clock.now()).toBe(520.5);
  });

  it("starts at zero", () => {
    expect(manualClock().now()).toBe(0);
  });

  it("can be set, also back", () => {
    const clock = manualClock(500);
    clock.set(10);
    expect(clock.now()).toBe(10);
    clock.set(-3);
    expect(clock.now()).toBe(-3);
  });

  it("works when its functions are taken off it", () => {
    const { now, advance } = manualClock(1);
    advance(2);
    expect(now()).toBe(3);
  });

  it("refuses a time that is not finite, and stays where it was", () => {
    const clock = manualClock(7);
    expect(() => manualClock(Number.NaN)).toThrow(
      "'startMs' must be a finite number of milliseconds, got NaN",
    );
    expect(() => clock.set("8" as never)).toThrow(
      `'ms' must be a finite number of milliseconds, got "8"`,
    );
    expect(() => clock.advance(Infinity)).toThrow("'ms' must be a finite number");
    expect(() => clock.advance(-1)).toThrow("'ms' must be at least 0 (set() goes back), got -1");
    expect(clock.now()).toBe(7);
  });

  it("cannot be changed by accident", () => {
    expect(Object.isFrozen(manualClock())).toBe(true);
  });
});
