import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createLimiter,
  DAY,
  fixedWindow,
  joinCluster,
  type Limiter,
  MINUTE,
} from "../../src/index.ts";
import { manualClock, memoryNetwork } from "../../src/testing.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function perMinute(): Limiter {
  return createLimiter({ name: "minute", policy: fixedWindow({ limit: 1, windowMs: MINUTE }) });
}

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

  it("treats a set system time as time that has passed, in calendars and in windows", () => {
    vi.useFakeTimers({ now: Date.UTC(2024, 0, 1) });
    const daily = createLimiter({
      name: "daily",
      policy: fixedWindow({ limit: 1, calendar: "day" }),
    });
    const limiter = perMinute();
    for (const each of [daily, limiter]) each.check("ada");
    vi.setSystemTime(Date.UTC(2024, 0, 2));
    expect(daily.check("ada").allowed).toBe(true);
    expect(limiter.check("ada").allowed).toBe(true);
    for (const each of [daily, limiter]) each.close();
  });

  it("follows a date that is set while the timers stay real", () => {
    const limiter = perMinute();
    limiter.check("ada");
    vi.setSystemTime(Date.now() + MINUTE - 1_000);
    expect(limiter.check("ada").allowed).toBe(false);
    vi.setSystemTime(Date.now() + 1_001);
    expect(limiter.check("ada").allowed).toBe(true);
    limiter.close();
  });

  it("follows a spied Date.now", () => {
    const limiter = perMinute();
    limiter.check("ada");
    const spy = vi.spyOn(Date, "now").mockReturnValue(Date.now() + MINUTE);
    expect(limiter.check("ada").allowed).toBe(true);
    expect(limiter.check("ada").allowed).toBe(false);
    spy.mockRestore();
    expect(limiter.check("ada").allowed).toBe(false);
    limiter.close();
  });

  it("continues from its time when the date goes back to 1970, as by node:test, and returns", () => {
    const limiter = perMinute();
    limiter.check("ada");
    vi.setSystemTime(0);
    expect(limiter.check("ada").retryAfterMs).toBeGreaterThan(MINUTE - 1_000);
    vi.setSystemTime(MINUTE - 1_000);
    expect(limiter.check("ada").allowed).toBe(false);
    vi.setSystemTime(MINUTE);
    expect(limiter.check("ada").allowed).toBe(true);
    vi.useRealTimers();
    expect(limiter.check("ada").retryAfterMs).toBeGreaterThan(MINUTE - 1_000);
    limiter.close();
  });

  it("does not follow a mocked date with a clock of its own, or in a cluster", async () => {
    const policy = fixedWindow({ limit: 1, windowMs: MINUTE });
    const manual = createLimiter({ name: "manual", policy, clock: manualClock() });
    const cluster = joinCluster({ namespace: "mocked", transport: memoryNetwork().transport() });
    const shared = createLimiter({ name: "shared", policy, cluster });
    for (const each of [manual, shared]) each.check("ada");
    vi.setSystemTime(Date.now() + MINUTE);
    for (const each of [manual, shared]) expect(each.check("ada").allowed).toBe(false);
    await cluster.leave();
    manual.close();
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
