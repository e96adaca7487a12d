import { describe, expect, it } from "vitest";
import {
  type Clock,
  createLimiter,
  DAY,
  fixedWindow,
  HOUR,
  MINUTE,
  SECOND,
  slidingLog,
  slidingWindow,
} from "../../src/index.ts";
import { manualClock } from "../../src/testing.ts";

describe("a window that opens with the first hit", () => {
  it("lasts for windowMs from there, and a refused hit does not move it", () => {
    const clock = manualClock(123);
    const policy = fixedWindow({ limit: 1, windowMs: MINUTE });
    const limiter = createLimiter({ name: "windows", policy, clock });
    expect(limiter.check("ada").resetMs).toBe(MINUTE);
    clock.advance(MINUTE - 1);
    expect(limiter.check("ada")).toMatchObject({ allowed: false, retryAfterMs: 1 });
    clock.advance(1);
    expect(limiter.check("ada")).toMatchObject({ allowed: true, resetMs: MINUTE });
  });

  it("lets twice the limit pass around its edge, and a sliding window does not", () => {
    const options = { limit: 10, windowMs: MINUTE };
    const passed = [fixedWindow(options), slidingWindow(options), slidingLog(options)].map(
      (policy) => {
        const clock = manualClock(1_000_000);
        const limiter = createLimiter({ name: "windows", policy, clock });
        const burst = (): number =>
          Array.from({ length: 20 }, () => limiter.check("ada")).filter(({ allowed }) => allowed)
            .length;
        limiter.check("ada");
        clock.advance(MINUTE - SECOND);
        const before = burst();
        clock.advance(2 * SECOND);
        return before + burst();
      },
    );
    const [fixed, sliding, log] = passed;
    expect(fixed).toBe(9 + 10);
    expect(sliding).toBeLessThanOrEqual(10);
    expect(log).toBe(10);
  });
});

describe("an aligned window", () => {
  const options = { limit: 1, windowMs: MINUTE, align: true };

  it("ends at the same instants however late the first hit comes", () => {
    const clock = manualClock(1_000_000);
    const limiter = createLimiter({ name: "windows", policy: fixedWindow(options), clock });
    const { resetMs } = limiter.check("ada");
    expect(resetMs).toBeGreaterThan(0);
    expect(resetMs).toBeLessThanOrEqual(MINUTE);
    clock.advance(resetMs + 1);
    expect(limiter.check("ada")).toMatchObject({ allowed: true, resetMs: MINUTE - 1 });
  });

  it("ends at another instant for another key", () => {
    const clock = manualClock(1_000_000);
    const limiter = createLimiter({ name: "windows", policy: fixedWindow(options), clock });
    const ends = new Set<number>();
    for (let key = 0; key < 100; key++) ends.add(limiter.check(`key ${key}`).resetMs);
    expect(ends.size).toBeGreaterThan(50);
  });
});

describe("a calendar window", () => {
  const monthly = fixedWindow({ limit: 1, calendar: "month", timeZone: "Europe/Berlin" });

  it("ends when local time reaches the next month", () => {
    const clock = manualClock(Date.UTC(2024, 1, 29, 22, 59, 59));
    const limiter = createLimiter({ name: "windows", policy: monthly, clock });
    expect(limiter.check("ada").resetMs).toBe(SECOND);
    expect(limiter.check("ada")).toMatchObject({ allowed: false, retryAfterMs: SECOND });
    clock.advance(SECOND);
    expect(limiter.check("ada")).toMatchObject({ allowed: true, resetMs: 31 * DAY - HOUR });
  });

  it("is a day of 23 hours when clocks go forward", () => {
    const clock = manualClock(Date.UTC(2024, 2, 30, 23));
    const policy = fixedWindow({ limit: 1, calendar: "day", timeZone: "Europe/Berlin" });
    const limiter = createLimiter({ name: "windows", policy, clock });
    expect(limiter.check("ada").resetMs).toBe(23 * HOUR);
  });

  it("is of UTC when no time zone is given", () => {
    const clock = manualClock(Date.UTC(2024, 2, 30, 23));
    const policy = fixedWindow({ limit: 1, calendar: "day" });
    expect(createLimiter({ name: "windows", policy, clock }).check("ada").resetMs).toBe(HOUR);
  });

  it("begins a week on the day that is asked for", () => {
    const sunday = Date.UTC(2024, 5, 2);
    const ends = (["monday", "sunday"] as const).map((weekStartsOn) => {
      const policy = fixedWindow({ limit: 1, calendar: "week", weekStartsOn });
      const clock = manualClock(sunday);
      return createLimiter({ name: "windows", policy, clock }).check("ada").resetMs;
    });
    expect(ends).toEqual([DAY, 7 * DAY]);
  });

  it("reads the wall clock, while other windows only need time that passes", () => {
    let passedMs = 0;
    let wallMs = Date.UTC(2024, 0, 31);
    const clock: Clock = { now: () => passedMs, wall: () => wallMs };
    const dated = createLimiter({ name: "dated", policy: monthly, clock });
    const plain = createLimiter({
      name: "plain",
      policy: fixedWindow({ limit: 1, windowMs: MINUTE }),
      clock,
    });
    dated.check("ada");
    plain.check("ada");
    wallMs += DAY;
    expect(dated.check("ada").allowed).toBe(true);
    expect(plain.check("ada").allowed).toBe(false);
    passedMs += MINUTE;
    expect(plain.check("ada").allowed).toBe(true);
  });
});

describe("a sliding window", () => {
  /** The times at which hits pass when a client never stops trying, from `startMs` on. */
  function greedy(startMs: number, slots: number): number[] {
    const clock = manualClock(startMs);
    const policy = slidingWindow({ limit: 10, windowMs: 600, slots });
    const limiter = createLimiter({ name: "windows", policy, clock });
    const passed: number[] = [];
    for (; clock.now() < startMs + 3_000; clock.advance(1)) {
      while (limiter.check("ada").allowed) passed.push(clock.now());
    }
    return passed;
  }

  function mostWithin(spanMs: number, times: readonly number[]): number {
    const counts = times.map((from) => times.filter((at) => at >= from && at < from + spanMs));
    return Math.max(...counts.map(({ length }) => length));
  }

  it.each([6, 12, 60])(
    "of %i slots lets no more than the limit pass in a window less a slot",
    (slots) => {
      for (let offset = 0; offset < 600 / slots; offset++) {
        expect(mostWithin(600 - 600 / slots, greedy(6_000 + offset, slots))).toBe(10);
      }
    },
  );

  it("lets up to one slot's hits more pass in a whole window, at worst nearly twice the limit", () => {
    expect(mostWithin(600, greedy(6_000, 12))).toBe(10);
    expect(mostWithin(600, greedy(6_049, 12))).toBe(19);
  });
});
