import { afterEach, describe, expect, it, vi } from "vitest";
import { createLimiter, DAY, fixedWindow, MINUTE } from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";

afterEach(() => {
  vi.useRealTimers();
});

describe("a limiter under fake timers", () => {
  it("follows them, without a clock of its own", () => {
    vi.useFakeTimers();
    const policy = fixedWindow({ limit: 1, windowMs: MINUTE });
    const limiter = createLimiter({ name: "faked", policy });
    limiter.check("ada");
    vi.advanceTimersByTime(MINUTE - 1);
    expect(limiter.check("ada").allowed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(limiter.check("ada").allowed).toBe(true);
    limiter.close();
  });

  it("follows them when it was made before them", () => {
    const policy = fixedWindow({ limit: 1, windowMs: MINUTE });
    const limiter = createLimiter({ name: "faked", policy });
    vi.useFakeTimers();
    limiter.check("ada");
    expect(limiter.check("ada").allowed).toBe(false);
    vi.advanceTimersByTime(MINUTE);
    expect(limiter.check("ada").allowed).toBe(true);
    limiter.close();
  });

  it("takes a set system time as a date, and not as time that has passed", () => {
    vi.useFakeTimers({ now: Date.UTC(2024, 0, 1) });
    const daily = createLimiter({
      name: "daily",
      policy: fixedWindow({ limit: 1, calendar: "day" }),
    });
    const policy = fixedWindow({ limit: 1, windowMs: MINUTE });
    const limiter = createLimiter({ name: "faked", policy });
    for (const each of [daily, limiter]) each.check("ada");
    vi.setSystemTime(Date.UTC(2024, 0, 2));
    expect(daily.check("ada").allowed).toBe(true);
    expect(limiter.check("ada").allowed).toBe(false);
    for (const each of [daily, limiter]) each.close();
  });
});

describe("a manual clock", () => {
  it("serves several limiters, and calendars take it for milliseconds since 1970", () => {
    const clock = manualClock(Date.UTC(2024, 11, 31, 23));
    const yearly = createLimiter({
      name: "yearly",
      policy: fixedWindow({ limit: 1, calendar: "year" }),
      clock,
    });
    yearly.check("ada");
    expect(yearly.check("ada").retryAfterMs).toBe(60 * MINUTE);
    clock.advance(DAY);
    expect(yearly.check("ada").allowed).toBe(true);
  });
});
